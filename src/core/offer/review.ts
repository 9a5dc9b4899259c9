import { z } from "zod";
import { WhetstoneError } from "../errors.ts";
import type { Power } from "../guard/power.ts";
import type { Document } from "../rules/learned/document.ts";
import { type ReceiptRule, receiptRuleSchema } from "./receipt.ts";
import { sumEvidence, sumsText } from "../rules/evidence/evidence-words.ts";
import { ownTasks, promiseOf, standsAlone } from "../rules/evidence/standing.ts";
import type { TaskEvidence } from "../rules/evidence/toss.ts";
import { ruleText } from "../rules/learned/learned-block.ts";
import type { Rule, RuleEdit } from "../rules/learned/rule.ts";
import { plural } from "../plural.ts";
import { isWithoutEffect } from "./without-effect.ts";

/** What a person needs to decide, rule by rule, on what a night proposes for one document. */
export interface Review {
  readonly v: 1;
  /** Of the proposal. */
  readonly id: string;
  readonly night: string;
  /** Milliseconds since the epoch. */
  readonly stagedAt: number;
  readonly document: Pick<Document, "id" | "kind" | "scope" | "name">;
  readonly gate: "on" | "off";
  readonly rules: readonly ReviewRule[];
  /** What the night itself turned down, for the record. */
  readonly rejected: readonly { readonly id: string; readonly text: string; readonly reason: string }[];
  readonly state: "staged" | "adopted" | "rejected" | "superseded";
  /** Why it is in this state, in one sentence. */
  readonly reason?: string;
  /** What a person decided so far; the proposed bytes are those of it. */
  readonly decisions?: Decisions;
  /** When that was, in milliseconds since the epoch. */
  readonly decidedAt?: number;
  /** Of an adopted one: the rules that were taken, and what was known of each. */
  readonly taken?: readonly ReceiptRule[];
}

export interface ReviewRule {
  readonly id: string;
  readonly edit: RuleEdit;
  readonly origin: Rule["origin"];
  /** What the person keeps asking for; missing where a rule was learned from tasks alone. */
  readonly wish?: ReviewWish;
  /** What it takes of every conversation, in tokens, estimated. */
  readonly tokens: number;
  /** `unverified`: the gate was off. */
  readonly status: "proven" | "open" | "stated" | "unverified";
  /** What is known of it, in the words that are shown. */
  readonly label: string;
  readonly provenance: {
    readonly conversations: readonly ReviewConversation[];
    /** Ids. */
    readonly tasks: readonly string[];
  };
  /** Whether it works on the tasks that it was tried on: less than proven. */
  readonly works: boolean;
  /** What each task of its habit came to without it and with it. */
  readonly measured: readonly ReviewMeasured[];
  /** What it would let an agent do that the document does not; what is more than a note must be acknowledged. */
  readonly powers: readonly ReviewPower[];
  /** Why the person does not want it. */
  readonly rejection?: string;
}

export interface ReviewConversation {
  readonly id: string;
  readonly source: string;
  /** Such as `2026-10-03`. */
  readonly date: string;
  /** The person's words that call for the rule. */
  readonly words: readonly string[];
}

export interface ReviewMeasured {
  /** Its id. */
  readonly task: string;
  readonly night: string;
  /** In each arm. */
  readonly rollouts: number;
  /** The sum of their scores. */
  readonly with: number;
  readonly without: number;
}

/** A wish as a person sees it. */
export interface ReviewWish {
  readonly id: string;
  /** `You said this 4 times: 1, 4 and 7 (twice) November 2026.` */
  readonly sentence: string;
  /** Every time, oldest first. */
  readonly said: readonly ReviewSentence[];
  /** Other ways to put it, the person's own words among them. */
  readonly wordings: readonly string[];
  /** One occasion with and without the rule. */
  readonly example?: ReviewExample;
  /** Wishes that it may be one with. */
  readonly sameAs: readonly { readonly wish: string; readonly text: string }[];
}

export interface ReviewSentence {
  /** Empty once its words are forgotten. */
  readonly text: string;
  /** Such as `2026-10-03`. */
  readonly date: string;
  readonly agent: string;
}

/** One occasion: what was asked, what the agent did, what was said to that, and what it does with the rule. */
export interface ReviewExample {
  readonly date: string;
  readonly agent: string;
  readonly asked: string;
  readonly did: string;
  readonly said: string;
  /** Missing while nobody has tried it. */
  readonly withRule?: { readonly task: string; readonly asked: string; readonly did: string };
}

export type ReviewPower = Omit<Power, "kind"> & { readonly kind: string };

export type Decision =
  | { readonly deed: "accept" }
  | { readonly deed: "drop" }
  | { readonly deed: "edit"; readonly text: string }
  /** It is what another wish is: the two become one. */
  | { readonly deed: "same"; readonly as: string };

/** By the id of a rule. */
export type Decisions = Readonly<Record<string, Decision>>;

/** Whether the rule goes into the file. */
export const isTaken = ({ deed }: Decision): boolean => deed === "accept" || deed === "edit";

/** New decisions, and what was left out before and is not named now. */
export const keepDrops = (before: Decisions, now: Decisions): Decisions => ({
  ...Object.fromEntries(Object.entries(before).filter(([, decision]) => !isTaken(decision))),
  ...now,
});

/** The rules that decisions take, and what can be said of them. */
export interface Chosen {
  readonly rules: readonly ChosenRule[];
  /** Whether every one of them is. */
  readonly proven: boolean;
  /** Ids of those that nobody decided on and that are not taken because they were measured without effect. */
  readonly leftOut: readonly string[];
  /** What is known of them together, and what is left out, in a sentence or two. */
  readonly sentence: string;
  /** Words of the person behind them. */
  readonly typed: readonly string[];
}

export interface ChosenRule {
  readonly id: string;
  readonly edit: RuleEdit;
  readonly status: ReviewRule["status"] | "edited";
  readonly label: string;
}

/** Whether a rule goes into the file by itself, if nobody says anything of it: proven or stated, and not measured without effect. */
export const isTakenUnasked = (rule: ReviewRule): boolean =>
  (rule.status === "proven" || rule.status === "stated") && !isWithoutEffect(rule);

/**
 * Which rules are taken. A rule that no decision names is taken when it is proven or stated (any, if unproven ones may
 * be) and was not measured without effect, but not once another one is accepted by name: then only what is named is meant.
 */
export function decide(
  { id, rules }: Review,
  decisions: Decisions,
  { unproven = false }: { readonly unproven?: boolean } = {},
): Chosen {
  for (const name of Object.keys(decisions))
    if (!rules.some((rule) => rule.id === name)) throw noRule({ id, rules }, name);
  const isNamed = Object.values(decisions).some(({ deed }) => deed === "accept");
  const open = rules.filter(
    (rule) => !isNamed && rule.rejection === undefined && decisions[rule.id] === undefined,
  );
  const leftOut = open.filter(isWithoutEffect).map((rule) => rule.id);
  const isMeant = (rule: ReviewRule) =>
    open.includes(rule) && !leftOut.includes(rule.id) && (unproven || isTakenUnasked(rule));
  const chosen = rules.flatMap((rule) =>
    take(rule, decisions[rule.id] ?? { deed: isMeant(rule) ? "accept" : "drop" }),
  );
  return {
    rules: chosen,
    proven: chosen.length > 0 && chosen.every(({ status }) => status === "proven"),
    leftOut,
    sentence: [summarize(chosen), ...(leftOut.length === 0 ? [] : [`${leftOutText(leftOut)}.`])].join(" "),
    typed: typedFor(chosen, rules),
  };
}

/** What the person said that calls for the rules, and the rules that they put into words themself. */
function typedFor(chosen: readonly ChosenRule[], rules: readonly ReviewRule[]): readonly string[] {
  const own = chosen.flatMap(({ status, edit }) =>
    (status === "stated" || status === "edited") && edit.op !== "delete" ? [edit.text] : [],
  );
  const taken = rules.filter(({ id }) => chosen.some((rule) => rule.id === id));
  const said = taken.flatMap(({ provenance }) => provenance.conversations.flatMap(({ words: each }) => each));
  return [...new Set([...own, ...said])];
}

function take({ id, edit, status, label }: ReviewRule, decision: Decision): readonly ChosenRule[] {
  if (!isTaken(decision)) return [];
  if (decision.deed !== "edit") return [{ id, edit, status, label }];
  const text = decision.text.replace(/[\r\n]+$/, "");
  if (edit.op === "delete" || text.trim() === "") {
    throw new WhetstoneError(
      "usage",
      edit.op === "delete"
        ? `Rule ${id.slice(0, 8)} deletes something: it has no words to edit.`
        : `The new text of rule ${id.slice(0, 8)} is empty.`,
      { hint: "Accept it or drop it." },
    );
  }
  // words that stay as they are keep their verdict
  if (ruleText(text) === ruleText(edit.text)) return [{ id, edit, status, label }];
  return [{ id, edit: { ...edit, text }, status: "edited", label: "edited by you, not measured" }];
}

/** `2 left out: measured without effect (1a2b3c4d, 5e6f7a8b)`. */
export const leftOutText = (ids: readonly string[]): string =>
  `${ids.length} left out: measured without effect (${ids.map((id) => id.slice(0, 8)).join(", ")})`;

function summarize(rules: readonly ChosenRule[]): string {
  if (rules.length === 0) return "No rule is taken.";
  return `${plural(rules.length, "rule")}: ${countByStatus(rules)}.`;
}

const statusWords: Readonly<Record<ChosenRule["status"], string>> = {
  proven: "proven",
  open: "not proven",
  stated: "asked for by you",
  unverified: "unverified, the gate was off",
  edited: "edited by you, not measured",
};

/** `2 proven; 3 asked for by you (1 works on your tasks)`: what is known of rules, in numbers. */
export function countByStatus(
  rules: readonly (Pick<ChosenRule, "status"> & Partial<Pick<ReviewRule, "works">>)[],
): string {
  const counts = Map.groupBy(rules, ({ status }) => status);
  return [...counts]
    .map(([status, some]) => {
      const working = status === "proven" ? 0 : some.filter(({ works }) => works === true).length;
      const part = some.length === 1 ? "works" : `${working} ${working === 1 ? "works" : "work"}`;
      return `${some.length} ${statusWords[status]}${working === 0 ? "" : ` (${part} on your tasks)`}`;
    })
    .join("; ");
}

/** Rules of a proposal that wait for a person: neither in a file nor turned down. */
export const waitingRules = ({ state, rules, decisions = {} }: Review): readonly ReviewRule[] =>
  state === "staged"
    ? rules.filter(
        ({ id, rejection }) =>
          rejection === undefined && (decisions[id] === undefined || isTaken(decisions[id])),
      )
    : [];

/** Without what was said in conversations; that and when it was said stays, and so do rules and other ways to put them. */
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

function wishWithoutWords(wish: ReviewWish): ReviewWish {
  const { example: _, ...kept } = wish;
  return { ...kept, said: kept.said.map((sentence) => ({ ...sentence, text: "" })) };
}

/** The rule whose id begins so. */
export function findRule({ id, rules }: Review, beginning: string): ReviewRule {
  const found = rules.filter((rule) => rule.id.startsWith(beginning));
  const [only, second] = found;
  if (only === undefined || beginning === "") throw noRule({ id, rules }, beginning);
  if (second === undefined) return only;
  throw new WhetstoneError("usage", `"${beginning}" fits ${found.length} rules of proposal ${id}.`, {
    hint: `Write more of the id: ${found.map((rule) => rule.id).join(", ")}.`,
  });
}

const noRule = ({ id, rules }: Pick<Review, "id" | "rules">, rule: string): WhetstoneError =>
  new WhetstoneError("not-found", `Proposal ${id} has no rule "${rule}".`, {
    hint: `Its rules are ${rules.map((one) => one.id.slice(0, 8)).join(", ")}; \`whetstone sleep review ${id}\` shows them.`,
  });

/** What is known of a rule, in the words that are shown. `times`: in how many conversations the person said it. */
export function labelRule(
  status: ReviewRule["status"],
  evidence: readonly TaskEvidence[],
  times?: number,
): string {
  const isMeasured = ownTasks(evidence).length > 0;
  const figures = isMeasured ? ` (${sumsText(sumEvidence(evidence))})` : "";
  const works = standsAlone(evidence) === "works";
  const stated = times === undefined ? "stated by you" : `stated ${times === 1 ? "once" : `${times} times`}`;
  switch (status) {
    case "proven":
      return `proven${figures}`;
    case "open":
      if (works) return `works on your tasks, not proven${figures}`;
      return `${promiseOf({ evidence }) > 1 ? "promising" : "undecided"}, not proven${figures}`;
    case "stated":
      return `${stated}, ${statedWords[isMeasured ? standsAlone(evidence) : "unmeasured"]}${figures}`;
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

/** The review in a text, or a sentence that says what is wrong with it. */
export function parseReview(text: string): Review | string {
  try {
    const parsed = reviewSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : z.prettifyError(parsed.error);
  } catch (error) {
    return String(error);
  }
}

const count = z.int().min(0);
const words = z.array(z.string());

const editSchema = z.discriminatedUnion("op", [
  z.object({ op: z.literal("add"), text: z.string() }),
  z.object({ op: z.literal("replace"), target: z.string(), text: z.string() }),
  z.object({ op: z.literal("delete"), target: z.string() }),
]);

const decisionSchema = z.discriminatedUnion("deed", [
  z.object({ deed: z.literal("accept") }),
  z.object({ deed: z.literal("drop") }),
  z.object({ deed: z.literal("edit"), text: z.string() }),
  z.object({ deed: z.literal("same"), as: z.string() }),
]);
export const decisionsSchema: z.ZodType<Decisions> = z.record(z.string(), decisionSchema);

const wishSchema: z.ZodType<ReviewWish> = z.object({
  id: z.string(),
  sentence: z.string(),
  said: z.array(z.object({ text: z.string(), date: z.string(), agent: z.string() })),
  wordings: words,
  example: z
    .object({
      date: z.string(),
      agent: z.string(),
      asked: z.string(),
      did: z.string(),
      said: z.string(),
      withRule: z.object({ task: z.string(), asked: z.string(), did: z.string() }).optional(),
    })
    .optional(),
  sameAs: z.array(z.object({ wish: z.string(), text: z.string() })),
});

const ruleSchema = z.object({
  id: z.string().min(1),
  edit: editSchema,
  origin: z.enum(["learned", "stated"]),
  wish: wishSchema.optional(),
  tokens: count.default(0),
  status: z.enum(["proven", "open", "stated", "unverified"]),
  label: z.string(),
  provenance: z.object({
    conversations: z.array(z.object({ id: z.string(), source: z.string(), date: z.string(), words })),
    tasks: words,
  }),
  works: z.boolean(),
  measured: z.array(
    z.object({ task: z.string(), night: z.string(), rollouts: count, with: z.number(), without: z.number() }),
  ),
  powers: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      rank: z.enum(["ask", "note"]).default("ask"),
      item: z.string(),
      line: count,
    }),
  ),
  rejection: z.string().optional(),
});

const reviewSchema: z.ZodType<Review> = z.object({
  v: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  night: z.string(),
  stagedAt: z.number(),
  document: z.object({
    id: z.string(),
    kind: z.enum(["skill", "memory"]),
    scope: z.enum(["project", "personal"]),
    name: z.string(),
  }),
  gate: z.enum(["on", "off"]),
  rules: z.array(ruleSchema),
  rejected: z.array(z.object({ id: z.string(), text: z.string(), reason: z.string() })),
  state: z.enum(["staged", "adopted", "rejected", "superseded"]),
  reason: z.string().optional(),
  decisions: decisionsSchema.optional(),
  decidedAt: z.number().optional(),
  taken: z.array(receiptRuleSchema).optional(),
});
