import { z } from "zod";
import { WhetstoneError } from "../errors.ts";
import { editOps } from "../skill/edit.ts";
import { regionNames } from "../skill/regions.ts";
import { namedPowerSchema } from "../prompts/powers.ts";
import { swapsSchema } from "./rule-table.ts";

const count = z.int().min(0);
const words = z.array(z.string()).readonly();

const ofSearch = z.object({
  op: z.enum(editOps),
  target: z.string().optional(),
  content: z.string().optional(),
  file: z.string().optional(),
  evidence: words,
});

/** The change that a rule makes, and its place. */
const ruleEditSchema = z.union([
  /** An item of the learned block that nights write. */
  z.object({ kind: z.literal("learned"), op: z.literal("add"), text: z.string() }),
  z.object({ kind: z.literal("learned"), op: z.literal("replace"), target: z.string(), text: z.string() }),
  z.object({ kind: z.literal("learned"), op: z.literal("delete"), target: z.string() }),
  /** An edit of any file of the skill, found by its target. */
  z.object({ kind: z.literal("edit"), edit: ofSearch }),
  /** The whole main file, or the body of one of its protected regions. `holds`: numbers of the rules it already contains. */
  z.object({
    kind: z.literal("text"),
    region: z.enum(regionNames).optional(),
    text: z.string(),
    holds: z.array(z.int()).readonly(),
  }),
  /** A removed part of the skill as it was, as offsets into its file. */
  z.object({
    kind: z.literal("found"),
    file: z.string(),
    start: count,
    end: count,
    region: z.enum(regionNames).optional(),
    /** Before 0.2.0, a part could be replaced with shorter words. Such a rule removes nothing, and is refused. */
    text: z.literal("").optional(),
  }),
]);

/** Evidence for a rule, by how it was measured. New kinds may be added; existing ones don't change. */
const ruleEvidenceSchema = z.discriminatedUnion("kind", [
  /** Points of score that it adds on val while other rules come and go, with a 95% interval. */
  z.object({
    kind: z.literal("worth"),
    points: z.number(),
    low: z.number(),
    high: z.number(),
    sd: z.number(),
    /** Rollouts whose text contained it, and all that could have. */
    rollouts: count,
    ofRollouts: count,
    ...swapsSchema.shape,
  }),
  /** One task of its habit on one night: sums of scores with it and without it, over the same number of rollouts each. */
  z.object({
    kind: z.literal("tosses"),
    task: z.string(),
    night: z.string(),
    rollouts: count,
    with: z.number(),
    without: z.number(),
    /** The agent continued the person's conversation from just before they corrected it. */
    talk: z.literal(true).optional(),
  }),
  /** Points of score lost without it (95% interval), the chance of at least half a point, and that some task needs it. */
  z.object({
    kind: z.literal("loss"),
    points: z.number(),
    low: z.number(),
    high: z.number(),
    helps: z.number(),
    needed: z.number(),
    rollouts: count,
  }),
  /** A reminder tested on conversations that it wasn't made from: how many relapses it stops, and what else. */
  z.object({
    kind: z.literal("stops"),
    madeFrom: count,
    testedOn: count,
    relapses: count,
    stopped: count,
    others: count,
    wrong: count,
    /** The unit of the others: calls that it would stop, or conversations that changed files and whose end it would stop. */
    unit: z.enum(["calls", "conversations"]),
  }),
]);

/** A person's decision on a rule. */
export const decisionSchema = z.discriminatedUnion("deed", [
  z.object({ deed: z.literal("accept") }),
  /** Not now: it may be offered again. */
  z.object({ deed: z.literal("drop") }),
  /** For good. */
  z.object({ deed: z.literal("reject"), reason: z.string() }),
  /** `named`: it was also accepted by name, so only named rules are taken. */
  z.object({ deed: z.literal("edit"), text: z.string(), named: z.literal(true).optional() }),
  /** It's the same as another rule or wish: the two become one. */
  z.object({ deed: z.literal("same"), as: z.string() }),
]);

const wishSchema = z.object({
  id: z.string(),
  /** `You said this 4 times: 1, 4 and 7 (twice) November 2026.` */
  sentence: z.string(),
  /** Every time, oldest first; the text is empty once its words are deleted. */
  said: z.array(z.object({ text: z.string(), date: z.string(), agent: z.string() })).readonly(),
  /** Whether the person asks for it in their own voice; missing if nobody checked. */
  own: z.boolean().optional(),
  /** Other wordings, including the person's own words. */
  wordings: words,
  /** One occasion: the request, what the agent did, the person's response, and what it does with the rule. */
  example: z
    .object({
      date: z.string(),
      agent: z.string(),
      asked: z.string(),
      did: z.string(),
      said: z.string(),
      /** Missing while nobody has tried it. */
      withRule: z.object({ task: z.string(), asked: z.string(), did: z.string() }).optional(),
    })
    .optional(),
  /** One sentence for each line of an agent's own memory or of the person's files that asks for the same or the opposite. */
  memory: words.optional(),
  /** Wishes that it may be the same as. */
  sameAs: z.array(z.object({ wish: z.string(), text: z.string() })).readonly(),
});

const powerSchema = z.object({
  id: z.string(),
  kind: z.string(),
  rank: z.enum(["ask", "note"]).default("ask"),
  item: z.string(),
  line: count,
});

/** The powers that a model found in new words. */
export const lookedSchema = z.object({
  by: z.string(),
  /** The exact words that it was given: other words haven't been looked at. */
  text: z.string(),
  powers: z.array(namedPowerSchema).readonly(),
});

/**
 * A rule in the form for people, from a training, a pruning or a night. Version 1, unstable until 0.3 is released.
 * Published as `whetstone/rule`.
 */
export const ruleSchema = z.object({
  v: z.literal(1),
  /** Its name within its proposal. */
  id: z.string().min(1),
  /** The words that it adds or removes. */
  text: z.string(),
  edit: ruleEditSchema,
  /** `proposed`: by the optimizer; `stated`: by a person; `found`: in the skill. */
  origin: z.enum(["proposed", "stated", "found"]),
  evidence: z.array(ruleEvidenceSchema).readonly(),
  /**
   * `proven`: by itself. `measured`: along with the others of its proposal, whose verdict is about all of them. `stated`: asked
   * for, claims nothing. `open`: not proven. `unverified`: the gate was off. `edited`: a person gave it other words.
   */
  status: z.enum(["proven", "measured", "stated", "open", "unverified", "edited"]),
  /** Whether it works on the tasks that it was tried on: less than proven. */
  works: z.boolean(),
  /** The evidence in a few words for people. */
  label: z.string(),
  /** Tokens that it adds to every prompt, estimated. */
  tokens: z.number(),
  provenance: z.object({
    /** The person's words that ask for it. */
    conversations: z
      .array(z.object({ id: z.string(), source: z.string(), date: z.string(), words }))
      .readonly(),
    /** Ids of the tasks that ask for it. */
    tasks: words,
  }),
  /** New permissions that it gives an agent and the document doesn't; all but notes must be acknowledged. */
  powers: z.array(powerSchema).readonly(),
  /** Missing if no model has looked at the powers that its words ask for. */
  looked: lookedSchema.optional(),
  /** The person's own request; missing if a rule was learned from tasks alone. */
  wish: wishSchema.optional(),
  /** The person's last decision on it. */
  decision: decisionSchema.optional(),
  /** The id of the receipt of its adoption into the live file. */
  receipt: z.string().optional(),
});

export type Rule = Readonly<z.infer<typeof ruleSchema>>;
export type RuleEdit = z.infer<typeof ruleEditSchema>;
export type RuleEvidence = z.infer<typeof ruleEvidenceSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type Looked = Readonly<z.infer<typeof lookedSchema>>;
/** A wish in the form for people. */
export type Wished = Readonly<z.infer<typeof wishSchema>>;

/**
 * Reads a rule from a value, such as one of `rules` in a run's `proposal.json`. Throws `usage` if it doesn't fit the schema.
 *
 * @example
 * const { proposal } = await diff({ run: "3f9a" });
 * for (const rule of proposal.rules ?? []) console.log(readRule(JSON.parse(JSON.stringify(rule))).label);
 */
export function readRule(value: unknown): Rule {
  const parsed = ruleSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new WhetstoneError("usage", `This isn't a version 1 rule: ${z.prettifyError(parsed.error)}`, {
    hint: "`whetstone/rule.schema.json` describes one.",
  });
}
