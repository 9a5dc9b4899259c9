import { resolve } from "node:path";
import type { Command } from "commander";
import type { TimerName } from "../../core/ports/timer.ts";
import { openPlace } from "../../run/sleep/place.ts";
import { schedule, unschedule } from "../../run/sleep/schedule.ts";
import type { Io } from "./io.ts";
import { type RunFlags, readConfig } from "./read-config.ts";

export interface ScheduleFlags extends RunFlags {
  readonly at?: string;
  readonly timer: TimerName | "auto";
  /** A file with the keys that models need; a timer knows nothing of a shell's variables. */
  readonly envFile?: string;
  /** Flags of the night itself, as they were typed. */
  readonly flags: readonly string[];
}

/** `whetstone sleep schedule` */
export async function sleepScheduleCommand(
  { flags, at, timer, envFile, ...given }: ScheduleFlags,
  io: Io,
): Promise<void> {
  const place = openPlace({ config: await readConfig(given, io), cwd: io.cwd });
  const [node = "", ...script] = io.program;
  const keys = envFile === undefined ? [] : [`--env-file=${resolve(io.cwd, envFile)}`];
  // timers have a bare PATH, on which no agent is found
  const path = process.platform === "win32" ? [] : ["/usr/bin/env", `PATH=${place.env["PATH"] ?? ""}`];
  const argv = [...path, node, ...keys, ...script, "sleep", "run", ...flags];
  const { timer: name, job, where, todo, because } = await schedule(place, { at, timer, argv });
  if (given.json) return io.printJson({ timer: name, ...job, where, todo });
  io.print(
    [
      `A night runs every day at ${job.at} in ${job.project} (${name}, ${where}); a missed one runs when the machine is awake again.`,
      `  ${job.argv.join(" ")}`,
      ...(envFile === undefined
        ? ["Keys that are set in your shell are not set there; name a file that has them with --env-file."]
        : []),
      ...(name === "systemd"
        ? ["While you are logged out it runs only after `loginctl enable-linger`."]
        : []),
      `What it says goes to ${job.log}. Nothing is adopted before you do: whetstone sleep review`,
      ...(todo.length === 0
        ? []
        : [
            "",
            `To start it${because === undefined ? "" : ` (${because})`}, run:`,
            ...todo.map((line) => `  ${line}`),
          ]),
    ].join("\n"),
  );
}

/** `whetstone sleep unschedule` */
export async function sleepUnscheduleCommand(flags: RunFlags, io: Io): Promise<void> {
  const place = openPlace({ config: await readConfig(flags, io), cwd: io.cwd });
  const removed = await unschedule(place);
  if (flags.json) return io.printJson(removed);
  io.print(
    removed.length === 0
      ? "No night was scheduled for this project."
      : removed
          .flatMap(({ where, todo }) => [`Removed from ${where}.`, ...todo.map((line) => `  run: ${line}`)])
          .join("\n"),
  );
}

/** The flags that were typed for a command, to be typed again, but for some. */
export function typedFlags(command: Command, except: readonly string[]): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (except.includes(name) || command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.flags;
    if (typeof value === "boolean") return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => [flag, String(one)]);
  });
}
