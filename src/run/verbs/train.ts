import { claimedTasks } from "../../core/tasks/few-tasks.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { StepOutcome } from "../../core/loop/step-outcome.ts";
import { type TrainPlan, type TrainResult, trainSkill } from "../../core/loop/train.ts";
import { chooseGate } from "../../core/loop/gates.ts";
import { searchedRules } from "../../core/rules/searched-rules.ts";
import { sealedSentence } from "../../core/measure/seal.ts";
import type { StepRecord } from "../../core/step-record.ts";
import { lookAtProposal } from "../../core/offer/look-at-proposal.ts";
import type { ProposalInput } from "../../core/offer/proposal.ts";
import type { SecondText } from "../../core/loop/gate.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import { trainDescription } from "../../core/triggers/train-description.ts";
import { type Summary, resultArtifacts, stepArtifacts, summarize, evidenceOf } from "../reports/artifacts.ts";
import type { CallOptions } from "../session/open-run.ts";
import { expectedGain } from "../session/expected-gain.ts";
import { runId } from "../session/run-id.ts";
import { sayProvable } from "../session/sealed-power.ts";
import { performCall } from "./perform.ts";
import type { Performed, Verb } from "./verb.ts";

export type TrainOptions = CallOptions;

export type TrainRun = Performed<TrainResult, Summary>;

/** The result of a training run. */
export interface Trained extends Omit<Performed<unknown, Summary>, "result"> {
  readonly verdict: Summary["verdict"];
  /** The best skill on val; the original if nothing better was found. */
  readonly best: {
    readonly skill: Skill;
    readonly text: string;
    readonly score: number | null;
    readonly step: number;
  };
  /** The gate's decisions, step by step. */
  readonly steps: readonly StepRecord[];
  /** An unproven one-shot rewrite that passed more test tasks than `best`, with one trial each; `adopt({ text: "one-shot" })` adopts it. */
  readonly oneShot?: {
    readonly skill: Skill;
    readonly text: string;
    readonly score: number;
    /** The score of `best` on the same tasks. */
    readonly final: number;
    readonly sentence: string;
  };
  /** The lean or the full text, whichever isn't `best`; `adopt({ text })` adopts it by its name. Unproven. */
  readonly other?: SecondText & { readonly text: string };
}

/**
 * Trains a skill. Calling it again resumes an interrupted run, or returns the finished result.
 *
 * @example
 * const run = await train({
 *   skill: "./SKILL.md",
 *   tasks: "./tasks.jsonl",
 *   target: "openai/gpt-5.4-nano",
 *   optimizer: "anthropic/claude-opus-5",
 *   spend: { usd: 5 },
 * });
 * console.log(run.verdict, run.best.text);
 */
export async function train(options: TrainOptions): Promise<Trained> {
  const call = { ...options, trains: true };
  const { result, ...run } = await performCall(call, ["target", "optimizer"], ({ resolved }) =>
    trainVerb(resolved),
  );
  const { best, steps, oneShot, other } = result;
  return {
    ...run,
    verdict: run.summary.verdict,
    best: { ...best, text: mainText(best.skill) },
    steps,
    ...(oneShot?.isOffered === true ? { oneShot: { ...oneShot, text: mainText(oneShot.skill) } } : {}),
    ...(other === undefined ? {} : { other: { ...other, text: mainText(other.skill) } }),
  };
}

/** Training: searches for a better skill, then tests it on the sealed tasks. */
export function trainVerb(
  resolved: Resolved,
  { worksAhead }: Pick<TrainPlan, "worksAhead"> = {},
): Verb<TrainResult & { readonly proposal: ProposalInput }, Summary> {
  const { settings, splits, skill, gate, neighbours = [] } = resolved;
  // an impossible gate is refused before anything is opened
  chooseGate(settings, gate);
  const steps =
    (settings.epochs + (settings.more ?? 0)) *
    Math.ceil(splits.train.length / (settings.batchSize * settings.accumulation));
  const id = runId("train", resolved);
  return {
    command: "train",
    roles: ["target", "optimizer"],
    resolved,
    id,
    steps,
    claims:
      settings.evalTest && claimedTasks(splits).length > 0
        ? [...new Set([...splits.val, ...splits.test])]
        : [],
    proposes: true,
    async provable(journal) {
      const odds = await expectedGain(resolved, steps, journal);
      return [odds?.sentence ?? [], await sayProvable(resolved, journal)].flat().join(" ");
    },
    async run(context, write) {
      // written during the next step, which waits for calls anyway
      let exported: Promise<void> = Promise.resolve();
      const onStep = async (record: StepOutcome) => {
        if (context.rehearsal !== undefined) return;
        await exported;
        exported = write(stepArtifacts(record, resolved.snapshots));
        exported.catch(() => {});
      };
      const training =
        settings.track === "description"
          ? trainDescription({ skill, splits, gate, worksAhead, onStep, neighbours }, context)
          : trainSkill({ skill, splits, gate, worksAhead, onStep }, context);
      const result = await training.catch(async (error: unknown) => {
        // keep the lock until the last file is written
        await exported.catch(() => {});
        throw error;
      });
      await exported;
      return { ...result, proposal: await lookAtProposal(proposalOf(id, result), context) };
    },
    tell(result, { run, cost }) {
      const summary = summarize(run, result, cost, settings);
      return {
        sentence: trainMessage(summary),
        summary,
        evidence: evidenceOf(result),
        artifacts: resultArtifacts(result),
        proposal: result.proposal,
      };
    },
  };
}

/** The sentence of a training; the offer of a one-shot rewrite comes first if there is one. */
export function trainMessage({
  run,
  sentence,
  oneShot,
}: Pick<Summary, "run" | "sentence" | "oneShot">): string {
  const way = `\`whetstone adopt --one-shot ${run.slice(0, 8)}\` adopts it.`;
  return oneShot === undefined ? sentence : `${oneShot.sentence} ${way} ${sentence}`;
}

const proposalOf = (
  run: string,
  { original, best, sealed, rules, oneShot, other }: TrainResult,
): ProposalInput => ({
  run,
  original,
  best: best.skill,
  others: {
    ...(oneShot && { "one-shot": oneShot }),
    ...(other && { [other.name]: { ...other, isOffered: true } }),
  },
  ...(rules === undefined ? {} : { rules: searchedRules(rules), baseline: rules.table.original }),
  ...(sealed?.kind === "claimed"
    ? {
        sealed: {
          verdict: sealed.claim.verdict,
          sentence: sealedSentence(sealed),
          answeredBy: sealed.models,
          perRollout: sealed.perRollout,
          ...(sealed.leftOut.length === 0 ? {} : { leftOut: sealed.leftOut }),
        },
      }
    : {}),
});
