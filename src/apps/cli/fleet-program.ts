import { type Command, Option } from "commander";
import { defaultRedis } from "../../adapters/fleet/open-redis.ts";
import { collect, readCount } from "./flags.ts";
import type { FleetFlags, WorkerFlags } from "./commands/fleet-commands.ts";
import type { Io } from "../../show/io.ts";

const insecureRedis = [
  "--insecure-redis",
  "accept a Redis on another machine without a password or TLS",
  false,
] as const;

/** `whetstone worker` and `whetstone fleet`, for runs on many machines. */
export function addFleetCommands(program: Command, io: Io): void {
  program
    .command("worker")
    .description('do work on this machine for runs with executor "bullmq", until Ctrl-C')
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option(...insecureRedis)
    .option("--concurrency <n>", "units of work at a time, per model", readCount, 64)
    .option("--journal <place>", "address of the shared journal, for example one with a password")
    .option(
      "--allow <what=value>",
      "allow runs to use host=name:port, key=VARIABLE, module=./file.ts, command=program or mount=/folder; vendors' servers and keys are always allowed (repeatable)",
      collect,
    )
    .addOption(
      new Option("--sandbox <word>", "weakest sandbox for agents and graders; with none, it's optional")
        .choices(["auto", "bubblewrap", "seatbelt", "container", "none"])
        .default("auto"),
    )
    .action(async (flags: WorkerFlags) =>
      (await import("./commands/fleet-commands.ts")).workerCommand(flags, io),
    );
  program
    .command("fleet")
    .description("show workers, queues, limits, rates and stuck work")
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option(...insecureRedis)
    .option("--json", "print it as JSON", false)
    .action(async (flags: FleetFlags) =>
      (await import("./commands/fleet-commands.ts")).fleetCommand(flags, io),
    );
}
