import { delimiter, isAbsolute, resolve } from "node:path";
import { isWithin, realFolder } from "../../../adapters/project-matcher.ts";
import { isInstalledIn } from "../../../config/trust/own-files.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { TimerName } from "../../../core/ports/timer.ts";
import { readConsent } from "../../../sleep/consent.ts";
import { type SleepPlace, openPlace } from "../../../sleep/place.ts";
import { schedule, unschedule } from "../../../sleep/schedule.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, surveyConfig } from "../read-config.ts";
import { allowUnattended } from "./trust-command.ts";

export interface ScheduleFlags extends RunFlags {
  readonly at?: string;
  readonly timer: TimerName | "auto";
  /** Allow what it will run and send without asking. */
  readonly yes: boolean;
  /** Flags of the night itself, as they were typed. */
  readonly flags: readonly string[];
}

/** `whetstone sleep schedule` */
export async function sleepScheduleCommand(
  { flags, at, timer, yes, ...given }: ScheduleFlags,
  io: Io,
): Promise<void> {
  if (isInstalledIn(io.cwd))
    throw new WhetstoneError(
      "not-allowed",
      "This whetstone is installed in the project, so anybody who can write there could change what runs at night.",
      {
        hint: "Install it outside the project, then schedule with that copy: npm install -g whetstone && whetstone sleep schedule",
      },
    );
  // a timer doesn't have the shell's variables
  const { keys } = given;
  const surveyed = await surveyConfig(given, io);
  const place = openPlace({ config: surveyed.config, cwd: io.cwd });
  readConsent(place.journalDir);
  if (!(await allowUnattended(surveyed, { yes, json: given.json }, io))) {
    io.print("\nNothing was allowed or scheduled.");
    return;
  }
  const [node = "", ...script] = io.program;
  const named = keys === undefined ? [] : ["--keys", resolve(io.cwd, keys)];
  // timers have a bare PATH without any agents
  const path = process.platform === "win32" ? [] : ["/usr/bin/env", `PATH=${pathOutside(place)}`];
  // the night must look for the consent where it was just written
  const home = ["WHETSTONE_STATE", "XDG_STATE_HOME"].flatMap((name) => {
    const value = place.env[name];
    return value === undefined || path.length === 0 ? [] : [`${name}=${value}`];
  });
  const argv = [...path, ...home, node, ...script, "sleep", "run", "--unattended", ...named, ...flags];
  const { timer: name, job, where, todo, because } = await schedule(place, { at, timer, argv });
  if (given.json) return io.printJson({ timer: name, ...job, where, todo });
  io.print(
    [
      `A night runs every day at ${job.at} in ${job.project} (${name}, ${where}); a missed one runs when the machine is awake again.`,
      `  ${job.argv.join(" ")}`,
      ...(keys === undefined
        ? ["The night doesn't see keys that are set in your shell; pass a file that has them with --keys."]
        : []),
      ...(name === "systemd"
        ? ["While you're logged out, it only runs after `loginctl enable-linger`."]
        : []),
      `Its output goes to ${job.log}. Nothing is adopted until you do it: whetstone review`,
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

/** PATH without the project's folders, because nobody has reviewed the programs there. */
const pathOutside = ({ env, project }: SleepPlace): string =>
  (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isWithin(realFolder(folder), project))
    .join(delimiter);

/** `whetstone sleep unschedule` */
export async function sleepUnscheduleCommand(journalDir: string, json: boolean, io: Io): Promise<void> {
  const removed = await unschedule(openPlace({ config: { journal: journalDir }, cwd: io.cwd }));
  if (json) return io.printJson(removed);
  io.print(
    removed.length === 0
      ? "No night was scheduled for this project."
      : removed
          .flatMap(({ where, todo }) => [`Removed from ${where}.`, ...todo.map((line) => `  run: ${line}`)])
          .join("\n"),
  );
}
