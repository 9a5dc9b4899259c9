import { percent, points } from "./measure/percent.ts";
import { plural } from "./plural.ts";
import type { RuleTable } from "./rules/rule-table.ts";

/** The changes of one search step. The score, 0 to 1, is estimated by tasks that didn't choose the rules. */
export interface StepFacts {
  /** Numbers of the rules that joined and left the text. */
  readonly joined: readonly number[];
  readonly left: readonly number[];
  readonly givenUp: number;
  readonly open: number;
  readonly score: number;
  /** The ends of its interval; missing for the original, whose score is measured. */
  readonly low?: number;
  readonly high?: number;
}

/** The rules that moved, and one estimate with its interval. */
export function stepSentence({ joined, left, givenUp, open, score, low, high }: StepFacts): string {
  const moves = [
    ...(joined.length === 0 ? [] : [`added ${nameRules(joined)}`]),
    ...(left.length === 0 ? [] : [`removed ${nameRules(left)}`]),
  ];
  const counts = [...(givenUp === 0 ? [] : [`${givenUp} dropped`]), `${open} still being tested`];
  const said = [moves, counts, ["val"]].flatMap((part) => (part.length === 0 ? [] : [part.join(", ")]));
  if (low === undefined || high === undefined) return `${said.join("; ")} ${percent(score)}, the original`;
  return `${said.join("; ")} about ${percent(score)} (${percent(low)} to ${percent(high)})`;
}

/** Both figures and the change between them, as rounded: they add up, and equal ones count as no change. */
export function movedText(before: number, after: number): string {
  const [from, to] = [before, after].map((score) => Number((100 * score).toFixed(1))) as [number, number];
  if (from === to) return `${percent(after)}, as before`;
  return `${percent(before)} → ${percent(after)}, ${points((to - from) / 100)}`;
}

/** How a search ended. */
export interface EndFacts {
  /** Steps done and planned. */
  readonly steps: number;
  readonly planned: number;
  /** Why it ended before its last step. */
  readonly ended?: string | undefined;
}

/** Always reports why a search ended. */
export function endedSentence({ steps, planned, ended }: EndFacts): string {
  if (ended === undefined)
    return planned === 1 ? "The one step was done." : `All ${planned} steps were done.`;
  const where = steps === 0 ? "before its first step" : `after ${steps} of ${plural(planned, "step")}`;
  return `The search ended ${where}: ${ended}.`;
}

/** The last measurement of the kept rules against the original. */
export function confirmedSentence(
  { kept, tried }: { readonly kept: number; readonly tried: number },
  before: number,
  after: number,
): string {
  if (tried === 0) return "No rule was tried.";
  if (kept === 0) return `None of ${plural(tried, "rule")} is kept: val ${percent(before)}, as before.`;
  return `${kept} of ${plural(tried, "rule")} ${kept === 1 ? "is" : "are"} kept: val about ${movedText(before, after)}.`;
}

/** Rules that the search couldn't decide about, and how to continue. Undefined if it decided about all that may well help. */
export function undecidedSentence(
  { rules }: Pick<RuleTable, "rules">,
  { more = 0 }: { readonly more?: number },
): string | undefined {
  const open = rules.filter(({ state, helps }) => state === "dropped" && helps >= mayHelpFrom).length;
  if (open === 0) return undefined;
  const are = open === 1 ? "is" : "are";
  return `${plural(open, "rule")} with at least a 25% chance to help ${are} undecided: run the same command with \`--more ${more + 1}\` to continue.`;
}

const mayHelpFrom = 0.25;

/** Compares the text that isn't offered with the one that is. */
export function secondTextSentence(
  name: "lean" | "full",
  other: Readonly<Record<"rules" | "score" | "tokens", number>>,
  offered: Readonly<Record<"rules" | "score" | "tokens", number>>,
): string {
  const what = { lean: "Lean text, with only the rules whose help is shown", full: "Full text" }[name];
  const facts = ({ rules, score, tokens }: typeof other) =>
    `${plural(rules, "rule")}, ${Math.round(tokens)} tokens, about ${percent(score)} on val`;
  return `${what}: ${facts(other)}. Offered: ${facts(offered)}.`;
}

/** The search's current score on val; for the original there's no gain to report. */
export const standingText = (incumbent: number, baseline: number, isOriginal: boolean): string =>
  `${percent(incumbent)}${isOriginal ? ", the original" : `, from ${percent(baseline)}`}`;

/** The step that made the best skill. Guidance at an epoch's end belongs to no step. */
export const madeBy = ({
  step,
  isGuidance = false,
}: {
  readonly step: number;
  readonly isGuidance?: boolean;
}): string => (isGuidance ? `guidance after step ${step}` : `step ${step}`);

/** Why the original stays if the search didn't end early. */
export function keptSentence(judged: number, unusable = ""): string {
  if (judged !== 0) return "No candidate did better.";
  return `There was no candidate: no proposed edit could be applied${unusable === "" ? "" : `; ${unusable}`}.`;
}

/** `rule 3`, `rules 1, 4–8 and 11`. */
export function nameRules(rules: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const rule of rules) {
    const run = runs.at(-1);
    if (run?.to === rule - 1) run.to = rule;
    else runs.push({ from: rule, to: rule });
  }
  const names = runs.flatMap(({ from, to }) => {
    if (to - from > 1) return [`${from}–${to}`];
    return from === to ? [`${from}`] : [`${from}`, `${to}`];
  });
  const last = names.pop() ?? "";
  return `${rules.length < 2 ? "rule" : "rules"} ${names.length === 0 ? last : `${names.join(", ")} and ${last}`}`;
}

/** Why a rule stays or not. */
export const ruleReasons = {
  kept: "it is expected to be worth its tokens",
  noHelp: "it does not help",
  crowdedOut: "others promised more",
  inDoubt: "it may help, but it's too uncertain that all of them together do",
  leftOpen: "its help isn't shown, and the text without it is expected to gain nearly as much",
  notWorthIt: "it may help, but not enough for its tokens",
  unlikely: "it's unlikely to help",
  repeated: (of: number | undefined) =>
    of === undefined ? "the skill says it already" : `rule ${of} says it already`,
} as const;
