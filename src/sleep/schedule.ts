import { rm } from "node:fs/promises";
import { join } from "node:path";
import { chooseTimer, timersHere } from "./timers/choose-timer.ts";
import { runTool } from "../adapters/run-tool.ts";
import { WhetstoneError } from "../core/errors.ts";
import type { TimerChange, TimerJob, TimerName } from "../core/ports/timer.ts";
import { nightlyTime } from "./memory/nightly-time.ts";
import { checkedFile } from "./checked-file.ts";
import { readConsent } from "./consent.ts";
import { triesADay, readFailures } from "./failures.ts";
import type { SleepPlace } from "./place.ts";
import { nextNight, noNights, stateFile } from "./state.ts";
import { pinnedFile } from "./night/pin-night.ts";

export interface Scheduled extends TimerChange {
  readonly timer: TimerName;
  readonly job: TimerJob;
}

export interface ScheduleOptions {
  /** `HH:MM`, local time. @default between 03:00 and 03:59, by the project's path, so that projects don't all start at once */
  readonly at?: string;
  readonly timer: TimerName | "auto";
  /** The command that runs a night: the program and all its arguments. */
  readonly argv: readonly string[];
}

/** Schedules a night every day on this machine. */
export async function schedule(place: SleepPlace, options: ScheduleOptions): Promise<Scheduled> {
  const { journalDir, project, env, home } = place;
  readConsent(journalDir);
  const at = options.at ?? nightlyTime(project);
  const timer = chooseTimer(options.timer, { env, home });
  await tryNight(options.argv, timer.name, place);
  const job: TimerJob = { project, at, argv: options.argv, log: join(journalDir, "sleep", "timer.log") };
  // one job per project, so remove it from all other timers
  for (const other of timersHere({ env, home }))
    if (other.name !== timer.name) await other.remove(project).catch(() => {});
  const change = await timer.install(job);
  await scheduleFile(journalDir).write({ at });
  return { timer: timer.name, job, ...change };
}

/** Tries the timer's command up to a night's first step, with the few variables that the timer sets. */
async function tryNight(
  argv: readonly string[],
  timer: TimerName,
  { project, env, home }: SleepPlace,
): Promise<void> {
  const bare = Object.fromEntries(
    ["HOME", "USER", "LOGNAME", "SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA"].map((name) => [
      name,
      env[name],
    ]),
  );
  const run = await runTool([...argv, "--check"], {
    env: { ...bare, HOME: home, ...(timer === "systemd" ? await systemdVariables(env) : {}) },
    cwd: project,
    seconds: 120,
  });
  if (run?.exitCode === 0) return;
  const [problem = "it didn't start", ...more] = (run?.stderr ?? "").split("\n");
  throw new WhetstoneError(
    "timer-failed",
    `A night couldn't start from ${timer}, so nothing was scheduled: ${problem.replace(/^error \S+: /, "")}`,
    {
      hint:
        more.find((line) => line.startsWith("next: "))?.slice(6) ??
        "Run the command yourself: `whetstone sleep run --check --unattended`.",
    },
  );
}

/** The variables that the person's systemd sets for everything it starts. */
async function systemdVariables(env: SleepPlace["env"]): Promise<Readonly<Record<string, string>>> {
  const shown = await runTool(["systemctl", "--user", "show-environment"], { env });
  const text = shown?.exitCode === 0 ? shown.stdout.toString() : "";
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** Removes the job from every timer that has it. */
export async function unschedule({
  journalDir,
  project,
  env,
  home,
}: SleepPlace): Promise<readonly TimerChange[]> {
  const removed: TimerChange[] = [];
  for (const timer of timersHere({ env, home })) {
    const change = await timer.remove(project);
    if (change !== undefined) removed.push(change);
  }
  await rm(scheduleFile(journalDir).path, { force: true });
  return removed;
}

/** Whether a night should run now: one is due, or a stopped one waits. A night that keeps failing pauses for a day. */
export function isNightDue(journalDir: string, now: number): boolean {
  const scheduled = scheduleFile(journalDir).read();
  if (scheduled === undefined) return false;
  const failed = readFailures(journalDir)?.at.filter((at) => isSince(scheduled.at, at, now)) ?? [];
  if (failed.length >= triesADay) return false;
  const state = stateFile(journalDir).read() ?? noNights;
  const stopped = pinnedFile(journalDir, nextNight(state)).read();
  return stopped !== undefined || isDue(scheduled.at, state.nights.at(-1)?.startedAt, now);
}

export const scheduledAt = (journalDir: string): string | undefined => scheduleFile(journalDir).read()?.at;

const scheduleFile = (journalDir: string) =>
  checkedFile<{ readonly at: string }>(
    join(journalDir, "sleep", "schedule.json"),
    "Run `whetstone sleep schedule` to write it again.",
  );

/** Whether a night is due: none has started since the last scheduled time. `at` is `HH:MM`, local time. */
export const isDue = (at: string, lastBegan: number | undefined, now: number): boolean =>
  lastBegan === undefined || !isSince(at, lastBegan, now);

/** Whether an instant is after the last scheduled time. */
function isSince(at: string, instant: number, now: number): boolean {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const planned = new Date(now);
  planned.setHours(hours, minutes, 0, 0);
  if (planned.getTime() > now) planned.setDate(planned.getDate() - 1);
  return instant >= planned.getTime();
}
