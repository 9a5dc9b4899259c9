import { diskJournal } from "../simulation/disk-journal.ts";
import { WhetstoneError } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import type { Model } from "../../../src/core/ports/model.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import { openRun } from "../../../src/run/session/open-run.ts";
import { perform } from "../../../src/run/verbs/perform.ts";
import { type TrainRun, trainVerb } from "../../../src/run/verbs/train.ts";
import { simulatedDisk } from "../simulation/simulated-disk.ts";
import { virtualTime } from "../simulation/virtual-time.ts";
import { type OddKind, type OddRole, oddRoles, oddWorld } from "./odd-world.ts";

export interface OddRunOptions {
  readonly seed: number;
  /** The share of odd replies of each role. */
  readonly rate: number;
  /** How often somebody stops it, or its process dies, before it is left alone. */
  readonly cuts: number;
  /** Holds nothing but what a project may hold. */
  readonly cwd: string;
}

/** How a training went: the same command, started until it has a result. */
export interface OddRun {
  /** How each start ended: `cut`, an error's code, `undecided` for want of verdicts, or `result`. */
  readonly ends: readonly string[];
  readonly isDone: boolean;
  /** What it decided and found, as one text to compare. */
  readonly found: string;
  readonly verdict: string;
  readonly calls: number;
  /** Odd replies by role and kind. */
  readonly odd: Readonly<Record<string, number>>;
  /** Keys of all calls that brought a usable reply. */
  readonly bought: readonly string[];
  readonly virtualMs: number;
  readonly violations: readonly string[];
}

/** The last is far beyond any model: there a start ends without a result more often than not. */
export const oddRates = [0.01, 0.03, 0.1, 0.3] as const;

/** More starts than these, left alone, and it is stuck. */
const mostStarts = 8;

export async function runOdd({ seed, rate, cuts, cwd }: OddRunOptions): Promise<OddRun> {
  const random = seededRandom("odd-run", seed, rate, cuts);
  const time = virtualTime(random);
  const begun = time.now();
  const disk = simulatedDisk({ random, maxSyncMs: 4 });
  const world = oddWorld(seed, rate);
  const [acknowledged, bought] = [new Set<string>(), new Set<string>()];
  const odd: Record<string, number> = {};
  const [ends, violations]: [string[], string[]] = [[], []];
  let calls = 0;

  function note(role: OddRole, key: string, kind: OddKind | undefined): void {
    calls += 1;
    if (acknowledged.has(key)) violations.push(`${role} ${key.slice(0, 12)} had a reply and was asked again`);
    if (kind === undefined) bought.add(key);
    else odd[`${role} ${kind}`] = (odd[`${role} ${kind}`] ?? 0) + 1;
  }

  /** One start, which may be cut after so many results. */
  async function start(cutAfter: number): Promise<TrainRun | string> {
    const process = time.startProcess();
    const interrupt = new AbortController();
    let results = 0;
    const ending: { end?: TrainRun | string } = {};
    const die = () => {
      ending.end ??= "cut";
      process.kill();
      disk.crash();
    };
    const isDeath = random() < 0.5;
    const onEvent = (event: RunEvent) => {
      if (event.type !== "unit-end" || !process.isAlive || event.from !== "provider") return;
      acknowledged.add(event.key);
      results += 1;
      if (results === cutAfter && isDeath) die();
      if (results === cutAfter) interrupt.abort();
    };
    const model = (role: OddRole): Model => ({
      id: `odd/${role}`,
      generate: (request, { key, signal }) =>
        new Promise((resolve, reject) => {
          signal.throwIfAborted();
          const { reply, odd: kind } = world.answer(role, request, key);
          const giveUp = () => reject(signal.reason as Error);
          signal.addEventListener("abort", giveUp, { once: true });
          process.after(20 + 400 * random(), `reply ${key.slice(0, 8)}`, () => {
            signal.removeEventListener("abort", giveUp);
            note(role, key, kind);
            resolve(reply);
          });
        }),
    });
    const run = async () => {
      const journal = await diskJournal(disk.mount(process));
      const [target, optimizer, judge] = oddRoles.map(model);
      const config = { skill: singleFileSkill(world.skill), tasks: world.tasks, concurrency: 8, seed };
      const options = {
        ...config,
        cwd,
        target,
        optimizer,
        judge,
        journal,
        spend: { calls: 20_000 },
        trains: true,
      };
      const signal = interrupt.signal;
      return openRun(options, ["target", "optimizer"], ({ resolved }) =>
        // what a test could show is a sentence before the first call, and takes half of the time
        perform(
          { ...trainVerb(resolved), provable: undefined },
          { journal, clock: process.clock, onEvent, signal, artifacts: false },
        ),
      );
    };
    run().then(
      (done) => {
        ending.end ??= done;
      },
      (error: unknown) => {
        ending.end ??= error instanceof WhetstoneError ? error.code : `failed: ${String(error)}`;
      },
    );
    while (ending.end === undefined) await time.advance();
    process.kill();
    return ending.end;
  }

  let last: TrainRun | undefined;
  for (let nth = 0; nth < cuts + mostStarts; nth += 1) {
    const isCut = nth < cuts;
    const end = await start(isCut ? 1 + Math.floor(random() * 160) : Number.POSITIVE_INFINITY);
    const isWhole = typeof end !== "string" && end.summary.missing === undefined;
    ends.push(isWhole ? "result" : typeof end === "string" ? end : "undecided");
    if (typeof end !== "string") last = end;
    if (isWhole) break;
  }
  for (const end of ends) if (!orderly.has(end)) violations.push(`a start ended with ${end}`);
  const isDone = ends.at(-1) === "result";
  return {
    ends,
    isDone,
    found: last === undefined ? "" : foundOf(last),
    verdict: last?.summary.verdict ?? "none",
    calls,
    odd,
    bought: [...bought].toSorted(),
    virtualMs: time.now() - begun,
    violations,
  };
}

/** For want of usable replies, or because somebody stopped it. */
const orderly: ReadonlySet<string> = new Set([
  "result",
  "undecided",
  "cut",
  "interrupted",
  "too-many-pending",
  "replies-unusable",
  "judge-uncalibrated",
]);

function foundOf({ summary, result }: TrainRun): string {
  const { verdict, sentence, best, val, claim, unusable, baselines, oneShot } = summary;
  const steps = result.steps.map(({ step, action, score }) => [step, action, score]);
  return JSON.stringify({ verdict, sentence, best, val, claim, unusable, baselines, oneShot, steps });
}
