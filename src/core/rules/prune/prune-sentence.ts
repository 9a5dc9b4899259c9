import { fallSentence, worstSentence } from "../../group-words.ts";
import { points } from "../../measure/percent.ts";
import { levelText } from "../../shown-level.ts";
import { nth } from "../../asked-words.ts";
import { type VerdictWord, costSentences, objectiveSentences } from "../../verdict-words.ts";
import { type BlindFacts, constantSentence, hostSentences, joinedSentence } from "../../blind-words.ts";
import type { PruneResult } from "./prune.ts";
import type { LossFound, SealedLoss } from "./test-loss.ts";

/** A pruning's verdict. Only a sealed reading with a bound across tasks makes it `not-worse`. */
export type PruneVerdict = Extract<
  VerdictWord,
  "not-worse" | "no-loss" | "not-proven" | "withheld" | "not-tested" | "unchanged"
>;

/** The facts behind the verdict and its sentence. */
export interface PrunedFacts extends Pick<PruneResult, "tokens" | "prunings"> {
  readonly table: readonly unknown[];
  readonly val?: LossFound | undefined;
  readonly sealed?: (LossFound & BlindFacts & Pick<SealedLoss, "read">) | undefined;
}

export function pruneVerdict({ val, sealed }: PrunedFacts): PruneVerdict {
  if (val?.shown !== true) return "unchanged";
  if (sealed === undefined) return "not-tested";
  if (sealed.joined !== undefined) return "withheld";
  if (!sealed.shown) return "not-proven";
  return sealed.scope === "tasks like these" ? "not-worse" : "no-loss";
}

/** The verdict in a sentence that claims no more than was shown, and names the skill that the margin is measured from. */
export function pruneSentence(result: PrunedFacts): string {
  const { val, sealed } = result;
  const { perRollout, hosts } = sealed ?? val ?? {};
  const costs = val?.shown === true ? [...costSentences(perRollout), ...objectiveSentences(perRollout)] : [];
  const constant = sealed === undefined ? undefined : constantSentence(sealed);
  return [
    verdictSentence(result),
    ...(sealed === undefined ? [] : fallSentences(sealed)),
    ...(constant === undefined ? [] : [constant]),
    ...costs,
    ...hostSentences(hosts),
  ].join(" ");
}

/** The worst group if tasks have groups; how many tasks could fall if no bound across tasks tells. */
const fallSentences = (sealed: LossFound): readonly string[] => [
  ...(sealed.worst === undefined ? [] : [worstSentence(sealed.worst)]),
  ...(sealed.worst === undefined || sealed.scope === "these tasks" ? [fallSentence(sealed)] : []),
];

function verdictSentence({ val, sealed, tokens, table, prunings }: PrunedFacts): string {
  if (val === undefined)
    return `Every rule is needed: without any of the ${table.length} some task fails. Nothing is proposed.`;
  if (val.trials === 0) return tooNoisy(val);
  const than = sinceWhen(prunings);
  if (!val.shown)
    return `The rules that looked unnecessary aren't shown to be${than === "" ? "" : ", not worse"}${than}: ${found(val)}. The skill is unchanged.`;
  const saves = `saves ${tokens.before - tokens.after} of ${tokens.before} tokens`;
  if (sealed === undefined)
    return `Not worse by more than ${size(val.margin)}${than} on the ${val.tasks} val tasks, ${saves}: ${found(val)}. There was no test split to confirm it.`;
  const read = `the ${nth(sealed.read)} text compared on these tasks`;
  if (sealed.joined !== undefined) return `Withheld: ${found(sealed)}, ${read}. ${joinedSentence(sealed)}`;
  if (sealed.shown && sealed.scope === "these tasks")
    return `No loss of more than ${size(sealed.margin)}${than} on these test tasks, ${saves}: ${found(sealed)}, ${read}. It says nothing about other tasks.`;
  return sealed.shown
    ? `Not worse by more than ${size(sealed.margin)}${than}, ${saves}: ${found(sealed)}, ${read}.`
    : `Not worse by more than ${size(val.margin)}${than} on val, ${saves}, but the test doesn't show it: ${found(sealed)}, ${read}.`;
}

/** Consecutive prunings share one margin. */
const sinceWhen = (prunings: number): string =>
  prunings === 0
    ? ""
    : prunings === 1
      ? " than before the last pruning"
      : ` than before the last ${prunings} prunings`;

const found = ({ difference, low, alpha, p, tasks, trials }: LossFound): string =>
  `${points(difference)}, at worst ${points(low)} (${levelText} interval; ${tasks} tasks, ${trials === 1 ? "1 trial" : `${trials} trials`} each per arm; p = ${p.toPrecision(2)}, threshold ${alpha.toPrecision(2)})`;

const tooNoisy = ({ margin, tasks, tasksNeeded = tasks }: LossFound): string =>
  `Too noisy to tell: with ${tasks} val tasks a loss of ${size(margin)} can't be ruled out. About ${tasksNeeded} val tasks or a wider margin would be enough. The skill is unchanged.`;

const size = (margin: number): string => `${Math.round(1000 * margin) / 10} points`;
