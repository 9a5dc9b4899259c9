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
  /** Of the proposal: a run's id, or that of a night's proposal. */
  id: z.string().regex(/^[\w-]+$/),
  /** Missing where a training or a pruning made it. */
  night: z.string().optional(),
  /** Milliseconds since the epoch; of a night's. */
  stagedAt: z.number().optional(),
  document: z.object({
    id: z.string(),
    kind: z.enum(["skill", "memory"]),
    scope: z.enum(["project", "personal"]),
    name: z.string(),
  }),
  /** Of a night. */
  gate: z.enum(["on", "off"]),
  rules: z.array(ruleSchema).readonly(),
  /** What the night itself turned down, for the record. */
  rejected: z.array(z.object({ id: z.string(), text: z.string(), reason: z.string() })).readonly(),
  state: z.enum(["staged", "adopted", "rejected", "superseded"]),
});

export interface Review extends Readonly<z.infer<typeof reviewSchema>> {
  /** Why it is in this state, in one sentence. */
  readonly reason?: string | undefined;
  /** When a person decided on it, in milliseconds since the epoch. */
  readonly decidedAt?: number | undefined;
}

/** The review in a text, or a sentence that says what is wrong with it. */
export const parseReview = (text: string): Review | string => parseBy(reviewSchema, text);

/** By the id of a rule. */
export type Decisions = Readonly<Record<string, Decision>>;

export const decisionsSchema: z.ZodType<Decisions> = z.record(z.string(), decisionSchema);

/** A person's decisions so far. */
export const decisionsIn = ({ rules }: Pick<Review, "rules">): Decisions =>
  Object.fromEntries(rules.flatMap(({ id, decision }) => (decision === undefined ? [] : [[id, decision]])));

/**
 * New decisions on top of earlier ones. Rules that are accepted now replace those that were accepted before; words that a person
 * wrote stay, whichever was said first.
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

/** The rules that decisions take, and what can be said of them. */
export interface Chosen {
  /** As they would be written. */
  readonly rules: readonly Rule[];
  /** Whether every one of them is. */
  readonly proven: boolean;
  /** Those that nobody decided on and that are not taken unasked. */
  readonly leftOut: readonly Rule[];
  /** What is known of them together, and what is left out, in a sentence or two. */
  readonly sentence: string;
}

/** Whether a rule goes into the file if nobody says anything of it. */
export const isTakenUnasked = (rule: Rule): boolean => !isUnproven(rule) && whyLeftOut(rule) === undefined;

/** Something is claimed of it that no test has shown. */
export const isUnproven = ({ status }: Pick<Rule, "status">): boolean =>
  status === "open" || status === "unverified";

/**
 * Which rules are taken. A rule that no decision names is taken when it is proven or stated (any, if unproven ones may
 * be) and `whyLeftOut` has nothing against it. Once one is accepted by name, only what is named is meant.
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
        ? `Rule ${shortId(rule)} deletes something: it has no words to edit.`
        : `The new text of rule ${shortId(rule)} is empty.`,
      { hint: "Accept it or drop it." },
    );
  }
  const [hidden] = findHiddenCharacters(text);
  if (hidden !== undefined)
    throw new WhetstoneError(
      "hidden-text",
      `The new text of rule ${shortId(rule)} has a hidden character (${hidden.name}).`,
      {
        hint: "Write it without that character.",
      },
    );
  // words that stay as they are keep their verdict
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
  if (rules.length === 0) return "No rule is taken.";
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

/** `2 proven; 3 asked for by you (1 works on your tasks)`: what is known of rules, in numbers. */
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

/** Rules of a proposal that wait for a person: neither in a file nor turned down. */
export const waitingRules = ({ state, rules }: Review): readonly Rule[] =>
  state === "staged" ? rules.filter(({ decision }) => decision === undefined || isTaken(decision)) : [];

/** All that wait, a wish once: what is decided of it holds for every file that it is proposed for. */
export function waitingOnce(reviews: readonly Review[]): readonly Rule[] {
  const rules = reviews.flatMap(waitingRules);
  return [...Map.groupBy(rules, (rule) => rule.wish?.id ?? rule).values()].flatMap((same) =>
    same.slice(0, 1),
  );
}

/** Without what was said in conversations; when it was said stays, and so do rules and other ways to put them. */
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

/** The rule that has this id, or whose id begins so where ids are long: 3 is not the beginning of 31. */
export function findRule({ id, rules }: Pick<Review, "id" | "rules">, given: string): Rule {
  const name = given.trim();
  const exact = rules.filter((rule) => rule.id === name);
  const found =
    exact.length > 0 ? exact : rules.filter((rule) => rule.id.length >= longId && rule.id.startsWith(name));
  const [only, second] = found;
  if (only === undefined || name === "") throw noRule({ id, rules }, given);
  if (second === undefined) return only;
  throw new WhetstoneError("usage", `"${given}" fits ${found.length} rules of proposal ${id}.`, {
    hint: `Write more of the id: ${found.map((rule) => rule.id).join(", ")}.`,
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

/** Words for what is known of a rule, without how often a person said a wish. */
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
