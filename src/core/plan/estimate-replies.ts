import type { Stage } from "../place.ts";
import type { TrainSettings } from "../settings.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import type { CallKind } from "./count-calls.ts";
import type { MeasuredModels, MeasuredReplies } from "../rehearse/measured-models.ts";
import { type Range, range } from "../rehearse/range.ts";

/** Mean lengths move a little from run to run. */
const [shorter, longer] = [0.85, 1.2];
/** Nobody knows how much an unheard model writes: these parts of its token limit are a guess, and shown as one. */
const [leastShare, mostShare] = [0.02, 0.1];

/** Tokens of one reply of the target: measured, or else from the answers that the tasks expect. */
export function estimateTargetReply(
  measured: MeasuredReplies | undefined,
  tasks: readonly Task[],
  { targetMaxTokens }: TrainSettings,
): Range {
  if (measured !== undefined) return around(measured.outputTokens);
  const expected = tasks
    .flatMap(({ answers = [] }) => answers.slice(0, 1))
    .map((answer) => answer.length / 4);
  const most = mostShare * targetMaxTokens;
  if (expected.length === 0) return range(leastShare * targetMaxTokens, most);
  const mean = expected.reduce((sum, tokens) => sum + tokens, 0) / expected.length;
  return range(Math.max(mean, 1), Math.max(2 * mean, most));
}

/** Tokens of one reply of the optimizer. One that writes a whole document is as long as that, at least. */
export function estimateOptimizerReply(
  kind: CallKind,
  stage: Stage,
  measured: MeasuredModels["optimizer"],
  skill: Skill,
  { optimizerMaxTokens }: TrainSettings,
): Range {
  const known = measured.get(stage);
  // what a merge writes grows with the batch, and the measured one may have been small
  if (known !== undefined) return around(known.outputTokens, stage === "aggregate" ? 2 * longer : longer);
  const document = kind === "rewrite" || kind === "one-shot" ? mainText(skill).length / 4 : 0;
  const all = [...measured.values()];
  if (all.length > 0 && document === 0) {
    const replies = all.reduce((sum, one) => sum + one.replies, 0);
    return around(all.reduce((sum, one) => sum + one.replies * one.outputTokens, 0) / replies);
  }
  return range(document + leastShare * optimizerMaxTokens, 1.5 * document + mostShare * optimizerMaxTokens);
}

/** Tokens of one verdict: a sentence, or much thinking before it. */
export function estimateVerdict(
  measured: MeasuredReplies | undefined,
  { optimizerMaxTokens }: TrainSettings,
): Range {
  return measured === undefined
    ? range(shortVerdict, Math.max(mostShare * optimizerMaxTokens, shortVerdict))
    : around(measured.outputTokens);
}

const shortVerdict = 20;

/** With several attempts: in how many of the steps they do not differ. A target without noise makes it all of them. */
export function estimatePlainSteps({ contrasted }: MeasuredModels): Range {
  if (contrasted === undefined) return range(0, 0.5);
  const share = (contrasted.plain + 0.5) / (contrasted.steps + 1);
  return range(Math.max(share - 0.25, 0), Math.min(share + 0.25, 1));
}

/** What fails at first should fail less later. */
export function estimateFailures({ score }: MeasuredModels): Range {
  if (score === undefined) return range(0.2, 0.8);
  const first = 1 - score.mean;
  const error = Math.sqrt((first * score.mean + 0.05) / score.tasks);
  return range(Math.max(0.5 * (first - error), 0.05), Math.min(first + error, 1));
}

const around = (mean: number, most = longer): Range => range(shorter * mean, most * mean);
