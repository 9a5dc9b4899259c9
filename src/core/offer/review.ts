import { z } from "zod";
import { WhetstoneError } from "../errors.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { sumEvidence, sumsText } from "../rules/evidence/evidence-words.ts";
import { ownTasks, promiseOf, standsAlone } from "../rules/evidence/standing.ts";
import type { TaskEvidence } from "../rules/evidence/toss.ts";
import { ruleText } from "../rules/learned/learned-block.ts";
import { type Decision, type Rule, decisionSchema, ruleSchema } from "../rules/rule.ts";
import { isTaken, shortId, withWords, writtenWords } from "../rules/rule-words.ts";
import { plural } from "../plural.ts";
import { parseBy } from "./parse-by.ts";
import { whyLeftOut } from "./without-effect.ts";

/** A proposal of a training, a pruning or a night for one document, rule by rule, for a person to decide on. */
const reviewSchema = z.object({
  v: z.literal(1),
  /** The proposal's id: a run's id, or that of a night's proposal. */
  id: z.string().regex(/^[\w-]+$/),
  /** Missing if a training or a pruning made it. */
  night: z.string().optional(),
  /** When a night staged it, in milliseconds since the epoch. */
  stagedAt: z.number().optional(),
  document: z.object({
    id: z.string(),
    kind: z.enum(["skill", "memory"]),
    scope: z.enum(["project", "personal"]),
    name: z.string(),
  }),
  /** Only for a night. */
  gate: z.enum(["on", "off"]),
  rules: z.array(ruleSchema).readonly(),
  /** The rules that the night itself rejected, for the record. */
  rejected: z.array(z.object({ id: z.string(), text: z.string(), reason: z.string() })).readonly(),
  state: z.enum(["staged", "adopted", "rejected", "superseded"]),
});

export interface Review extends Readonly<z.infer<typeof reviewSchema>> {
  /** Why it's in this state, in one sentence. */
  readonly reason?: string | undefined;
  /** When a person decided on it, in milliseconds since the epoch. */
  readonly decidedAt?: number | undefined;
}

/** Parses a review, or returns a sentence that says what's wrong with it. */
export const parseReview = (text: string): Review | string => parseBy(reviewSchema, text);

/** By rule id. */
export type Decisions = Readonly<Record<string, Decision>>;

export const decisionsSchema: z.ZodType<Decisions> = z.record(z.string(), decisionSchema);

/** A person's decisions so far. */
export const decisionsIn = ({ rules }: Pick<Review, "rules">): Decisions =>
  Object.fromEntries(rules.flatMap(({ id, decision }) => (decision === undefined ? [] : [[id, decision]])));

/**
 * Adds new decisions to earlier ones. Rules that are accepted now replace those accepted before. Words that a person
 * wrote stay, in whichever order they came.
 */
export function withDecisions(review: Pick<Review, "rules">, now: Decisions): Decisions {
  const said = decisionsIn(review);
  const accepts = Object.values(now).some(({ deed }) => deed === "accept");
  const before = Object.entries(said).filter(([, { deed }]) => !accepts || deed !== "accept");
  const both = Object.entries(now).map(([id, decision]) => [id, joinDecisions(said[id], decision)]);
  return { ...Object.fromEntries(before), ...Object.fromEntries(both) };
}

/** A rule that is both edited and accepted by name. */
function joinDecisions(before: Decision | undefined, now: Decision): Decision {
  if (now.deed === "edit" && before !== undefined && isNaming(before)) return { ...now, named: true };
  if (now.deed === "accept" && before?.deed === "edit") return { ...before, named: true };
  return now;
}

const isNaming = (decision: Decision): boolean =>
  decision.deed === "accept" || (decision.deed === "edit" && decision.named === true);

/** The rules that decisions take, with their evidence. */
export interface Chosen {
  /** In the form in which they'd be written. */
  readonly rules: readonly Rule[];
  /** Whether all of them are proven. */
  readonly proven: boolean;
  /** Rules without a decision that aren't included by default. */
  readonly leftOut: readonly Rule[];
  /** Their evidence together, and what is left out, in a sentence or two. */
  readonly sentence: string;
}

/** Whether a rule goes into the file without a decision. */
export const isTakenUnasked = (rule: Rule): boolean => !isUnproven(rule) && whyLeftOut(rule) === undefined;

/** Something is claimed about it that no test has shown. */
export const isUnproven = ({ status }: Pick<Rule, "status">): boolean =>
  status === "open" || status === "unverified";

/**
 * Which rules are taken. A rule without a decision is taken if it's proven or stated (any rule, if unproven ones are
 * allowed) and `whyLeftOut` doesn't object. Once a rule is accepted by name, only named rules are taken.
 */
export function decide(
  { id, rules }: Pick<Review, "id" | "rules">,
  decisions: Decisions,
  { unproven = false }: { readonly unproven?: boolean } = {},
): Chosen {
  for (const name of Object.keys(decisions))
    if (!rules.some((rule) => rule.id === name)) throw noRule({ id, rules }, name);
  const isNamed = Object.values(decisions).some(isNaming);
  const open = rules.filter((rule) => !isNamed && decisions[rule.id] === undefined);
  const leftOut = open.filter((rule) => whyLeftOut(rule) !== undefined);
  const isMeant = (rule: Rule) =>
    open.includes(rule) && !leftOut.includes(rule) && (unproven || isTakenUnasked(rule));
  const chosen = rules.flatMap((rule) =>
    take(rule, decisions[rule.id] ?? { deed: isMeant(rule) ? "accept" : "drop" }),
  );
  return {
    rules: chosen,
    proven: chosen.length > 0 && chosen.every(({ status }) => status === "proven"),
    leftOut,
    sentence: [summarize(chosen), ...(leftOut.length === 0 ? [] : [`${leftOutText(leftOut)}.`])].join(" "),
  };
}

function take(rule: Rule, decision: Decision): readonly Rule[] {
  if (!isTaken(decision)) return [];
  if (decision.deed !== "edit") return [rule];
  const [before, text] = [writtenWords(rule.edit), decision.text.trim()];
  if (before === undefined || text === "") {
    throw new WhetstoneError(
      "usage",
      before === undefined
        ? `Rule ${shortId(rule)} only deletes text, so it has no words to edit.`
        : `The new text of rule ${shortId(rule)} is empty.`,
      { hint: "Accept it or drop it instead." },
    );
  }
  const [hidden] = findHiddenCharacters(text);
  if (hidden !== undefined)
    throw new WhetstoneError(
      "hidden-text",
      `The new text of rule ${shortId(rule)} has a hidden character (${hidden.name}).`,
      {
        hint: "Remove that character.",
      },
    );
  // unchanged words keep their verdict
  if (ruleText(text) === ruleText(before)) return [rule];
  const { looked: _, ...kept } = rule;
  return [
    {
      ...kept,
      text,
      edit: withWords(rule.edit, text),
      status: "edited",
      works: false,
      evidence: [],
      label: "edited by you, not measured",
    },
  ];
}

/** `2 left out: measured without effect (1a2b3c4d, 5e6f7a8b)`, for each reason. */
export const leftOutText = (rules: readonly Rule[]): string =>
  [...Map.groupBy(rules, whyLeftOut)]
    .map(([why = "", own]) => `${own.length} left out: ${why} (${own.map(shortId).join(", ")})`)
    .join("; ");

function summarize(rules: readonly Rule[]): string {
  if (rules.length === 0) return "No rule is included.";
  return `${plural(rules.length, "rule")}: ${countByStatus(rules)}.`;
}

const statusWords: Readonly<Record<Rule["status"], string>> = {
  proven: "proven",
  measured: "measured together",
  open: "not proven",
  stated: "asked for by you",
  unverified: "unverified, the gate was off",
  edited: "edited by you, not measured",
};

/** `2 proven; 3 asked for by you (1 works on your tasks)`: the evidence for rules, counted. */
export function countByStatus(rules: readonly Pick<Rule, "status" | "works">[]): string {
  const counts = Map.groupBy(rules, ({ status }) => status);
  return [...counts]
    .map(([status, some]) => {
      const working = status === "proven" ? 0 : some.filter(({ works }) => works).length;
      const part = some.length === 1 ? "works" : `${working} ${working === 1 ? "works" : "work"}`;
      return `${some.length} ${statusWords[status]}${working === 0 ? "" : ` (${part} on your tasks)`}`;
    })
    .join("; ");
}

/** Rules of a proposal that wait for a person: neither in a file nor rejected. */
export const waitingRules = ({ state, rules }: Review): readonly Rule[] =>
  state === "staged" ? rules.filter(({ decision }) => decision === undefined || isTaken(decision)) : [];

/** All waiting rules, with each wish once: a decision on it applies to every file that it's proposed for. */
export function waitingOnce(reviews: readonly Review[]): readonly Rule[] {
  const rules = reviews.flatMap(waitingRules);
  return [...Map.groupBy(rules, (rule) => rule.wish?.id ?? rule).values()].flatMap((same) =>
    same.slice(0, 1),
  );
}

/** Removes the words of conversations. Their dates stay, and so do rules and other wordings. */
export const withoutWords = (review: Review): Review => ({
  ...review,
  rules: review.rules.map(({ wish, provenance, ...rule }) => ({
    ...rule,
    ...(wish === undefined ? {} : { wish: wishWithoutWords(wish) }),
    provenance: {
      ...provenance,
      conversations: provenance.conversations.map((one) => ({ ...one, words: [] })),
    },
  })),
});

function wishWithoutWords(wish: NonNullable<Rule["wish"]>): Rule["wish"] {
  const { example: _, ...kept } = wish;
  return { ...kept, said: kept.said.map((sentence) => ({ ...sentence, text: "" })) };
}

/** The rule with this id, or whose long id starts with it: 3 doesn't match 31. */
export function findRule({ id, rules }: Pick<Review, "id" | "rules">, given: string): Rule {
  const name = given.trim();
  const exact = rules.filter((rule) => rule.id === name);
  const found =
    exact.length > 0 ? exact : rules.filter((rule) => rule.id.length >= longId && rule.id.startsWith(name));
  const [only, second] = found;
  if (only === undefined || name === "") throw noRule({ id, rules }, given);
  if (second === undefined) return only;
  throw new WhetstoneError("usage", `"${given}" matches ${found.length} rules of proposal ${id}.`, {
    hint: `Use a longer id: ${found.map((rule) => rule.id).join(", ")}.`,
  });
}

const longId = 8;

const noRule = ({ id, rules }: Pick<Review, "id" | "rules">, rule: string): WhetstoneError =>
  new WhetstoneError("not-found", `Proposal ${id} has no rule "${rule}".`, {
    hint:
      rules.length === 0
        ? "Nothing was changed. Its rules can't be taken one by one: adopt all of it, or copy what you want by hand."
        : `Nothing was changed. Its rules are ${rules.map(shortId).join(", ")}; \`whetstone review ${id}\` shows them.`,
  });

/** The evidence for a rule in words, without how often a person stated a wish. */
export function labelRule(
  status: "proven" | "open" | "stated" | "unverified",
  evidence: readonly TaskEvidence[],
  isWish = false,
): string {
  const isMeasured = ownTasks(evidence).length > 0;
  const figures = isMeasured ? ` (${sumsText(sumEvidence(evidence))})` : "";
  const works = standsAlone(evidence) === "works";
  switch (status) {
    case "proven":
      return `proven${figures}`;
    case "open":
      if (works) return `works on your tasks, not proven${figures}`;
      return `${promiseOf({ evidence }) > 1 ? "promising" : "undecided"}, not proven${figures}`;
    case "stated":
      return `${isWish ? "" : "stated by you, "}${statedWords[isMeasured ? standsAlone(evidence) : "unmeasured"]}${figures}`;
    case "unverified":
      return "unverified: the gate was off";
  }
}

const statedWords = {
  works: "works on your tasks",
  open: "not proven",
  harms: "does harm",
  hopeless: "no sign of an effect",
  unmeasured: "not measured",
} as const;
