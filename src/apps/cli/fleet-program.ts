import type { Command } from "commander";
import { defaultRedis } from "../../config/fleet-settings.ts";
import type { FleetFlags, WorkerFlags } from "./fleet-commands.ts";
import type { Io } from "./io.ts";

/** `whetstone worker` and `whetstone fleet`: many machines. */
export function addFleetCommands(program: Command, io: Io, readNumber: (value: string) => number): void {
  program
    .command("worker")
    .description('run units for runs with executor "bullmq", on this machine, until Ctrl-C')
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option("--concurrency <n>", "units at a time, per model", readNumber, 64)
    .option("--journal <place>", "another address of the shared journal, such as one with a password")
    .option("--telemetry", "spans and metrics to OTEL_EXPORTER_OTLP_ENDPOINT", false)
    .action(async (flags: WorkerFlags) => (await import("./fleet-commands.ts")).workerCommand(flags, io));
  program
    .command("fleet")
    .description("workers, queues, limits, rates and what is stuck")
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option("--json", "print it as JSON", false)
    .action(async (flags: FleetFlags) => (await import("./fleet-commands.ts")).fleetCommand(flags, io));
}
