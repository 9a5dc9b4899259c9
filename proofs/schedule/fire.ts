import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Timer, TimerJob } from "../../test/support/schedule/random-job.ts";

export interface Fired {
  /** How often each job's command ran with exactly its words, and how often with `--if-due` behind them. */
  readonly nights: number;
  readonly looks: number;
  readonly seconds: number;
}

/**
 * Lets the real cron run two jobs at the next minute: one whose night begins then, and one whose night begins in another hour,
 * so that its look for a missed night comes instead.
 */
export async function fire(timer: Timer, folder: string, log: (line: string) => void): Promise<Fired> {
  const started = performance.now();
  const now = new Date();
  // a minute that is about to begin may begin before cron has read the crontab
  const next = new Date(now.getTime() + (now.getSeconds() > 50 ? 120_000 : 60_000));
  const at = (hour: number) =>
    [hour % 24, next.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  const words = ["sleep", "run", "--note", "50% of 'it' \\% $HOME `id` && more", "--last"];
  const jobFor = (name: string, time: string): TimerJob => {
    const project = join(folder, name);
    mkdirSync(project, { recursive: true });
    chmodSync(project, 0o777);
    return {
      project,
      at: time,
      argv: ["/usr/bin/printf", "%s\\0", ...words],
      log: join(project, "night.log"),
    };
  };
  const [night, look] = [jobFor("night 1%", at(next.getHours())), jobFor("look 1%", at(next.getHours() + 5))];
  await timer.install(night);
  await timer.install(look);
  const cron = startCron(folder);
  try {
    log(
      `cron runs two jobs at ${at(next.getHours())}, in ${Math.round((next.getTime() - now.getTime()) / 1000)} s or less`,
    );
    const deadline = next.getTime() + 20_000;
    while (Date.now() < deadline && [night, look].some((job) => linesOf(job).length === 0)) await wait(500);
    // had both lines of one job fired, there would be more by now
    await wait(1500);
  } finally {
    cron?.kill();
    await timer.remove(night.project);
    await timer.remove(look.project);
  }
  const same = (job: TimerJob, expected: readonly string[]) =>
    JSON.stringify(linesOf(job)) === JSON.stringify(expected) ? 1 : 0;
  return {
    nights: same(night, words),
    looks: same(look, [...words, "--if-due"]),
    seconds: Math.round((performance.now() - started) / 1000),
  };
}

function linesOf(job: TimerJob): readonly string[] {
  try {
    return readFileSync(job.log, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

/** Ours ends with the proof; one that runs already serves as well. */
function startCron(folder: string) {
  if (spawnSync("pgrep", ["-x", "cron"]).status === 0) return undefined;
  const child = spawn("cron", ["-f"], { stdio: "ignore", cwd: folder });
  writeFileSync(join(folder, "cron.pid"), String(child.pid));
  return child;
}
