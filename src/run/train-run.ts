import { join } from "node:path";
import type { ClientPolicy } from "../adapters/executors/local.ts";
import { priceOf } from "../adapters/models/prices.ts";
import type { Resolved } from "../config/resolved.ts";
import { WhetstoneError } from "../core/errors.ts";
import type { RunEvent } from "../core/events.ts";
import type { Json } from "../core/json.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Cost } from "../core/ports/executor.ts";
import type { Journal } from "../core/ports/journal.ts";
import { skillHash } from "../core/skill/hash.ts";
import { mainText } from "../core/skill/skill.ts";
import { type TrainResult, train } from "../core/train.ts";
import {
  type Summary,
  configArtifacts,
  resultArtifacts,
  stepArtifacts,
  summarize,
  writeArtifacts,
} from "./artifacts.ts";
import { preflight } from "./preflight.ts";
import { runId } from "./run-id.ts";
import { type Session, openSession } from "./session.ts";
import { createTiming } from "./timing.ts";

export interface RunOptions {
  readonly journal: Journal;
  /** Aborting it stops the run cleanly; the same call again resumes it. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly policy?: Partial<ClientPolicy> | undefined;
  readonly clock?: Clock | undefined;
  /** Whether artifacts are written. @default true */
  readonly artifacts?: boolean | undefined;
}

export interface TrainRun {
  readonly id: string;
  /** The folder of the artifacts. */
  readonly folder: string;
  readonly summary: Summary;
  readonly result: TrainResult;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
}

/** Runs, or resumes, one training run. There is no other resume code than this. */
export async function trainRun(resolved: Resolved, options: RunOptions): Promise<TrainRun> {
  refuseUnknownPrices(resolved);
  const run = runId("train", resolved);
  const folder = resolved.out ?? join(resolved.journalDir, "runs", run);
  const lock = await options.journal.lock(run);
  try {
    const timing = createTiming();
    const onEvent = (event: RunEvent) => {
      timing.add(event);
      options.onEvent?.(event);
    };
    const session = await openSession({ ...options, run, resolved, onEvent });
    try {
      return await execute(run, folder, resolved, session, options);
    } finally {
      await session.close();
      if (options.artifacts !== false) await writeArtifacts(folder, { "timing.json": timing.text() });
    }
  } finally {
    await lock.release();
  }
}

async function execute(
  run: string,
  folder: string,
  resolved: Resolved,
  session: Session,
  { artifacts = true }: RunOptions,
): Promise<TrainRun> {
  const { context, spend, ledger, finishedBefore } = session;
  const { settings, splits, skill, models, environment } = resolved;
  const write = async (files: Parameters<typeof writeArtifacts>[1]) => {
    if (artifacts) await writeArtifacts(folder, files);
  };
  context.emit({
    type: "run-start",
    command: "train",
    skill: skillHash(mainText(skill)),
    models: { target: models.target, optimizer: models.optimizer },
    tasks: { train: splits.train.length, val: splits.val.length, test: splits.test.length },
    steps: settings.epochs * Math.ceil(splits.train.length / settings.batchSize),
    resumed: ledger.results,
    settings: settings as unknown as Json,
  });
  try {
    await write(configArtifacts(run, resolved));
    await environment.setup?.();
    await preflight(["target", "optimizer"], context);
    const onStep = (record: Parameters<typeof stepArtifacts>[0]) =>
      write(stepArtifacts(record, resolved.snapshots));
    const result = await train({ skill, splits, onStep }, context);
    const summary = summarize(run, result, session.costByRole(), settings.gate);
    await write(resultArtifacts(result, summary));
    context.emit({
      type: "run-end",
      status: "done",
      message: verdictSentence(summary),
      summary: summary as unknown as Json,
      cost: spend.spent(),
    });
    return { id: run, folder, summary, result, spent: spend.spent(), finishedBefore };
  } catch (error) {
    // the first cause is what stopped everything else
    const cause = context.signal.aborted ? (context.signal.reason as Error) : (error as Error);
    const code = cause instanceof WhetstoneError ? cause.code : "failed";
    context.emit({ type: "run-end", status: "stopped", code, message: cause.message, cost: spend.spent() });
    throw cause;
  } finally {
    await environment.teardown?.();
  }
}

/** The outcome in one sentence. */
export function verdictSentence({ verdict, best, val, test }: Summary): string {
  const percent = (score: number) => `${(100 * score).toFixed(1)} %`;
  const onTest =
    test?.baseline == null || test.best === null
      ? "no test split, so no gain is claimed"
      : `test ${percent(test.baseline.hard)} → ${percent(test.best.hard)} (${test.tasks} tasks, one trial each)`;
  if (verdict === "kept-original")
    return `Nothing better was found; the original skill stays. Val ${percent(val.baseline)}.`;
  return `Step ${best.step} gave the best skill: val ${percent(val.baseline)} → ${percent(val.best)}, ${onTest}.`;
}

/** A cap in money means nothing for a model whose price nobody knows. */
export function refuseUnknownPrices({ spend, models, prices, offline }: Resolved): void {
  if (spend.usd === undefined || offline) return;
  const unknown = [...new Set([models.target, models.optimizer])].filter(
    (id) => priceOf(id, prices) === undefined,
  );
  if (unknown.length === 0) return;
  throw new WhetstoneError(
    "price-unknown",
    `The price of ${unknown.join(" and ")} is not known, so ${spend.usd} USD cannot be kept.`,
    {
      hint: `Add it to the config, in USD per million tokens: prices: { "${unknown[0]}": { input: 0.25, output: 2 } }; or cap calls, tokens or minutes instead of usd.`,
    },
  );
}
