import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { ScoreAside } from "../../core/ports/scoring.ts";
import { scoreTextHere } from "../../core/scorers/score-text.ts";
import { unread } from "../../core/scorers/scorer.ts";
import type { CheckResult } from "../../core/scorers/checked.ts";
import type { ThreadQuestion } from "./scoring-thread.ts";

export interface ScoringThreadsOptions {
  /** The most threads; each starts when needed. @default one less than there are processors, from 1 to 4 */
  readonly most?: number;
  /** The file that a thread runs. @default this package's own */
  readonly file?: URL;
}

/** Scores texts in threads. A thread without a verdict after a second is stopped, and the answer counts as `unread`. */
export function scoringThreads({
  most = Math.min(Math.max(availableParallelism() - 1, 1), 4),
  file = ownFile(),
}: ScoringThreadsOptions = {}): ScoreAside {
  const idle: Worker[] = [];
  const waiting: Job[] = [];
  let started = 0;
  let isBroken = false;

  function next(): void {
    if (isBroken) for (const job of waiting.splice(0)) scoreHere(job);
    while (waiting.length > 0 && (idle.length > 0 || started < most)) {
      const job = waiting.shift() as Job;
      const thread = idle.pop();
      if (thread === undefined) start(job);
      else run(job, thread);
    }
  }

  function start(job: Job): void {
    started += 1;
    const thread = new Worker(file, { env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits });
    const stay = setInterval(() => {}, 60_000);
    const fail = () => {
      clearInterval(stay);
      started -= 1;
      // a rebundled package may lack the file: slower, but just as correct
      isBroken = true;
      waiting.unshift(job);
      next();
    };
    thread.once("error", fail);
    thread.once("message", () => {
      clearInterval(stay);
      thread.off("error", fail);
      thread.unref();
      run(job, thread);
    });
  }

  /** One request at a time, so that the thread we stop is the slow one. */
  function run({ question, resolve }: Job, thread: Worker): void {
    let ticks = 0;
    const before = cpuMs();
    // measured in this process's ticks and CPU time, so that a sleeping machine, a busy event loop or processors used
    // by others don't count. The timer also keeps the process alive as long as something waits
    const timer = setInterval(() => {
      ticks += 1;
      const isOver = ticks >= deadlineTicks && cpuMs() - before >= deadlineTicks * tickMs;
      if (isOver) drop("to have a shape that can be read within a second");
    }, tickMs);
    const end = (verdict: CheckResult) => {
      clearInterval(timer);
      thread.off("message", finish);
      thread.off("error", fail);
      resolve(verdict);
      next();
    };
    const finish = (verdict: CheckResult) => {
      idle.push(thread);
      end(verdict);
    };
    const drop = (expected: string) => {
      started -= 1;
      thread.once("error", () => {});
      void thread.terminate();
      end(unread(expected));
    };
    const fail = () => drop("to have a size and shape that fit into memory");
    thread.once("message", finish);
    thread.once("error", fail);
    thread.postMessage(question);
  }

  return (check, text) =>
    new Promise((resolve) => {
      waiting.push({ question: { check, text }, resolve });
      next();
    });
}

interface Job {
  readonly question: ThreadQuestion;
  readonly resolve: (verdict: CheckResult) => void;
}

/** CPU time of all threads of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const tickMs = 100;
const deadlineTicks = 10;
const resourceLimits = { maxOldGenerationSizeMb: 512 };

const scoreHere = ({ question: { check, text }, resolve }: Job): void => resolve(scoreTextHere(check, text));

/** Next to this file: as source in a checkout, as its own entry in the package. */
const ownFile = (): URL =>
  new URL(import.meta.url.endsWith(".ts") ? "./scoring-thread.ts" : "./scoring-thread.js", import.meta.url);

/** This process's threads. They start with the first request and keep nothing alive. */
export const scoreAside: ScoreAside = scoringThreads();
