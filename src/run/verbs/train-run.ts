import { join } from "node:path";
import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { AheadFigures } from "../../core/loop/ahead-figures.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Cost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import type { ProposalInput } from "../../core/proposal/proposal.ts";
import { sealedSentence } from "../../core/measure/seal.ts";
import { type TrainResult, trainSkill } from "../../core/loop/train.ts";
import { trainDescription } from "../../core/triggers/train-description.ts";
import {
  type Summary,
  configArtifacts,
  resultArtifacts,
  stepArtifacts,
  summarize,
} from "../reports/artifacts.ts";
import { calibrateFirst, calledRoles } from "../session/calibrate-judge.ts";
import { writeTarget } from "../adopt/live-skill.ts";
import { planRun } from "./plan.ts";
import { preflight } from "../session/preflight.ts";
import { proposalArtifacts } from "../adopt/proposal.ts";
import { runId } from "../session/run-id.ts";
import { type RunOptions, runInSession } from "../session/run-in-session.ts";
import { startEvent } from "../session/start-event.ts";
import { tryChecksFirst } from "../session/try-checks-first.ts";
import { writeReport } from "../reports/write-report.ts";

export interface TrainRun {
  readonly id: string;
  /** The folder of the artifacts. */
  readonly folder: string;
  readonly summary: Summary;
  readonly result: TrainResult;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** With `speculate`: what was bought before it was known to be needed. */
  readonly ahead?: AheadFigures;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
}

/** Runs, or resumes, one training run. There is no other resume code than this. */
export async function trainRun(resolved: Resolved, options: RunOptions): Promise<TrainRun> {
  refuseUnknownPrices(resolved, ["target", "optimizer"]);
  const run = runId("train", resolved);
  await refuseTooSmallSpend(run, resolved, options.journal);
  const folder = resolved.out ?? join(resolved.journalDir, "runs", run);
  const trained = await runInSession({ run, folder, resolved }, options, async (session, write) => {
    const { context, spend, finishedBefore } = session;
    const { settings, splits, skill, environment } = resolved;
    const steps =
      settings.epochs * Math.ceil(splits.train.length / (settings.batchSize * settings.accumulation));
    context.emit(
      startEvent({ command: "train", roles: ["target", "optimizer"], folder, steps }, resolved, session),
    );
    await write(configArtifacts(run, resolved));
    if (options.artifacts !== false) await writeTarget(run, resolved);
    const claims = settings.evalTest && splits.test.length > 0;
    if (claims) await tryChecksFirst([...splits.val, ...splits.test], resolved, context);
    await environment.setup?.();
    await preflight(calledRoles(["target", "optimizer"], resolved), context, { skill, splits });
    await calibrateFirst(resolved, context);
    // written beside the next step, which waits for calls anyway
    let exported: Promise<void> = Promise.resolve();
    const onStep = async (record: Parameters<typeof stepArtifacts>[0]) => {
      await exported;
      exported = write(stepArtifacts(record, resolved.snapshots));
      exported.catch(() => {});
    };
    const training =
      settings.track === "description"
        ? trainDescription({ skill, splits, onStep, neighbours: resolved.neighbours ?? [] }, context)
        : trainSkill({ skill, splits, onStep }, context);
    const result = await training.catch(async (error: unknown) => {
      // the lock must not go before the last file is written
      await exported.catch(() => {});
      throw error;
    });
    await exported;
    const ahead = await session.readAhead();
    const summary = {
      ...summarize(run, result, session.costByRole(), settings.gate),
      ...session.unusable(),
    };
    await write({ ...resultArtifacts(result, summary), ...proposalArtifacts(offerOf(run, result)) });
    context.emit({
      type: "run-end",
      status: "done",
      message: summary.sentence,
      summary: summary as unknown as Json,
      cost: spend.spent(),
      ahead,
    });
    return {
      id: run,
      folder,
      summary,
      result,
      spent: spend.spent(),
      ahead,
      finishedBefore,
    };
  });
  if (options.artifacts !== false) await writeReport(options.journal, run, folder);
  return trained;
}

const offerOf = (run: string, { original, best, sealed }: TrainResult): ProposalInput => ({
  run,
  original,
  best: best.skill,
  ...(sealed?.kind === "claimed"
    ? {
        sealed: {
          verdict: sealed.claim.verdict,
          sentence: sealedSentence(sealed),
          answeredBy: sealed.models,
        },
      }
    : {}),
});

/** Before the first call; what a run has bought already is not asked for again. */
async function refuseTooSmallSpend(run: string, resolved: Resolved, journal: Journal): Promise<void> {
  const { usd, tokens, calls } = resolved.spend;
  if (resolved.offline || (usd === undefined && tokens === undefined && calls === undefined)) return;
  for await (const _ of journal.read({ run, kinds: ["result", "use"] })) return;
  const { refusal } = await planRun(resolved, journal);
  if (refusal !== undefined) throw refusal;
}

/** A cap in money means nothing for a model whose price nobody knows. */
export function refuseUnknownPrices(resolved: Resolved, roles: readonly Role[]): void {
  const { spend, models, prices, offline } = resolved;
  if (spend.usd === undefined || offline) return;
  const called = new Set(calledRoles(roles, resolved).map((role) => models[role]));
  const unknown = [...called].filter((id) => priceOf(id, prices) === undefined);
  if (unknown.length === 0) return;
  throw new WhetstoneError(
    "price-unknown",
    `The price of ${unknown.join(" and ")} is not known, so ${spend.usd} USD cannot be kept.`,
    {
      hint: `Give it in USD per million tokens, as --price ${unknown[0]}=0.25,2 or in the config as prices: { "${unknown[0]}": { input: 0.25, output: 2 } }; or cap calls, tokens or minutes instead of usd.`,
    },
  );
}
