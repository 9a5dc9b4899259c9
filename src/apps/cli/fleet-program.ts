import { type Command, Option } from "commander";
import { defaultRedis } from "../../adapters/fleet/open-redis.ts";
import { collect, readCount } from "./flags.ts";
import type { FleetFlags, WorkerFlags } from "./commands/fleet-commands.ts";
import type { Io } from "../../show/io.ts";

const insecureRedis = [
  "--insecure-redis",
  "accept a Redis on another machine without password or TLS",
  false,
] as const;

/** `whetstone worker` and `whetstone fleet`: many machines. */
export function addFleetCommands(program: Command, io: Io): void {
  program
    .command("worker")
    .description('run units for runs with executor "bullmq", on this machine, until Ctrl-C')
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option(...insecureRedis)
    .option("--concurrency <n>", "units at a time, per model", readCount, 64)
    .option("--journal <place>", "another address of the shared journal, such as one with a password")
    .option(
      "--allow <what=value>",
      "what runs may ask for beside vendors' own servers and keys: host=name:port, key=VARIABLE, module=./file.ts, command=program, mount=/folder; may be repeated",
      collect,
    )
    .addOption(
      new Option("--sandbox <word>", "the weakest box for agents and graders; none allows no box")
        .choices(["auto", "bubblewrap", "seatbelt", "container", "none"])
        .default("auto"),
    )
    .action(async (flags: WorkerFlags) =>
      (await import("./commands/fleet-commands.ts")).workerCommand(flags, io),
    );
  program
    .command("fleet")
    .description("workers, queues, limits, rates and what is stuck")
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option(...insecureRedis)
    .option("--json", "print it as JSON", false)
    .action(async (flags: FleetFlags) =>
      (await import("./commands/fleet-commands.ts")).fleetCommand(flags, io),
    );
}
