import { z } from "zod";
import { hashBytes } from "../canonical.ts";
import { decodeFile } from "../files.ts";
import type { Skill } from "../skill/skill.ts";
import { type Looked, type Rule, lookedSchema, ruleSchema } from "../rules/rule.ts";
import { skillIdentity } from "../skill/hash.ts";
import { type ArmCosts, armCostsSchema } from "../measure/arm-costs.ts";
import { type ClaimWord, isProof, keepsObjective } from "../verdict-words.ts";
import { composeRules } from "./compose-rules.ts";
import { parseBy } from "./parse-by.ts";
import { own } from "../own.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const words = z.array(z.string()).readonly();

const fileOps = ["add", "replace", "delete"] as const;

const proposedFileSchema = z
  .object({
    path: z.string().min(1),
    op: z.enum(fileOps),
    /** SHA-256 of the bytes that the run was started from; null for an added file. */
    live: hash.nullable(),
    /** SHA-256 of the proposed bytes; null for a deleted file. */
    proposed: hash.nullable(),
  })
  .refine(({ op, live, proposed }) => op === operationOf(live, proposed), "op does not fit the hashes");

const keptFileSchema = z.object({ path: z.string().min(1), hash });

const changeSchema = {
  /** Only the files that change. */
  files: z.array(proposedFileSchema).readonly(),
  /** The files that stay: the verdict was reached beside exactly these. */
  kept: z.array(keptFileSchema).readonly(),
};

/** Texts of a run that can be taken in place of what it proposes. None of them is proven. */
export type TextName = "one-shot" | "lean" | "full";

/** The folder of a run that has the files of such a text. */
export const otherFolder = (name: TextName): string => `${name.replace("-", "_")}_skill`;

const otherTextSchema = z.object({
  /** It can be taken. A one-shot rewrite must have measured better than the proposed text, and no guard may refuse it. */
  isOffered: z.boolean(),
  /** What it measured, and why it is not offered. */
  sentence: z.string(),
  ...changeSchema,
});

/** What a finished run offers: which bytes would take the place of which, and what is known about them. */
const proposalSchema = z.object({
  v: z.literal(1),
  run: z.string().regex(/^[\w-]+$/),
  /** What the sealed test says of the best skill. `not-worse`, or `no-loss` on these tasks alone, of a pruned one; `not-tested` when it was not read. */
  verdict: z.enum([
    "better",
    "worse",
    "higher",
    "lower",
    "no-difference",
    "even",
    "not-proven",
    "withheld",
    "undecided",
    "not-worse",
    "no-loss",
    "not-tested",
  ]),
  proven: z.boolean(),
  /** Why it counts as proven or not, in one sentence. */
  reason: z.string(),
  /** Who answered in the sealed test, as the provider named itself. */
  answeredBy: words.optional(),
  /** Ids of test tasks that a person left out: they counted as lost. */
  leftOut: words.optional(),
  /** What a rollout takes with the original and with the proposed skill. */
  perRollout: armCostsSchema.optional(),
  /** The path of the skill's main file. */
  main: z.string(),
  ...changeSchema,
  /** The one-shot rewrite, and the lean or the full text, whichever is not proposed. `adopt` takes them by name. */
  others: z
    .object({
      "one-shot": otherTextSchema.optional(),
      lean: otherTextSchema.optional(),
      full: otherTextSchema.optional(),
    })
    .optional(),
  /** The rules that make up the change, where each was measured: a person may take a part of them. */
  rules: z.array(ruleSchema).readonly().optional(),
  /** The original's score on val, which the points of the rules add to. */
  baseline: z.number().optional(),
  /** What a model found in new lines that belong to no single rule; of a night, in all of them. */
  looked: z.array(lookedSchema).readonly().optional(),
});

export type Proposal = Readonly<z.infer<typeof proposalSchema>>;
export type ProposedFile = Readonly<z.infer<typeof proposedFileSchema>>;
export type KeptFile = Readonly<z.infer<typeof keptFileSchema>>;

export interface ProposalInput {
  readonly run: string;
  readonly original: Skill;
  readonly best: Skill;
  /** The sealed test of original against best, when there was one. */
  readonly sealed?:
    | {
        readonly verdict: ClaimWord | "not-worse" | "no-loss";
        readonly sentence: string;
        readonly answeredBy?: readonly string[];
        readonly leftOut?: readonly string[];
        readonly perRollout?: ArmCosts | undefined;
      }
    | undefined;
  /** Why it was proposed without a sealed test. */
  readonly reason?: string;
  /** Other texts, and what is known of them. */
  readonly others?: Partial<Record<TextName, MeasuredText>>;
  /** The rules of the change. They are offered where they make up the best skill. */
  readonly rules?: readonly Rule[];
  readonly baseline?: number;
  readonly looked?: readonly Looked[];
}

/** A text that isn't proposed. */
export interface MeasuredText extends Pick<z.infer<typeof otherTextSchema>, "isOffered" | "sentence"> {
  readonly skill: Skill;
}

export function makeProposal(input: ProposalInput): Proposal {
  const { run, original, best, sealed, reason, others = {} } = input;
  const rules = offeredRules(input);
  return {
    v: 1,
    run,
    verdict: sealed?.verdict ?? "not-tested",
    proven: sealed !== undefined && isProof(sealed.verdict) && keepsObjective(sealed.perRollout),
    reason: sealed?.sentence ?? reason ?? "No sealed test was read, so no gain is claimed.",
    ...(sealed?.answeredBy === undefined ? {} : { answeredBy: sealed.answeredBy }),
    ...(sealed?.leftOut === undefined ? {} : { leftOut: sealed.leftOut }),
    ...(sealed?.perRollout === undefined ? {} : { perRollout: withoutTime(sealed.perRollout) }),
    main: best.main,
    ...changeTo(best, original),
    ...(Object.keys(others).length === 0
      ? {}
      : {
          others: Object.fromEntries(
            Object.entries(others).map(([name, { isOffered, sentence, skill }]) => [
              name,
              { isOffered, sentence, ...changeTo(skill, original) },
            ]),
          ),
        }),
    ...(rules && { rules, ...(input.baseline === undefined ? {} : { baseline: input.baseline }) }),
    ...(input.looked === undefined ? {} : { looked: input.looked }),
  };
}

/** Undefined where the rules don't make up the text: then nobody can take a part of them. */
function offeredRules({ original, best, rules = [] }: ProposalInput): readonly Rule[] | undefined {
  if (rules.length === 0) return undefined;
  const { skill } = composeRules(original, rules, rules);
  return skillIdentity(skill) === skillIdentity(best) ? rules : undefined;
}

/** What differs between two skills, and what stays. */
function changeTo(skill: Skill, original: Skill): Pick<Proposal, "files" | "kept"> {
  const paths = [...new Set([...Object.keys(original.files), ...Object.keys(skill.files)])].toSorted();
  const files: ProposedFile[] = [];
  const kept: KeptFile[] = [];
  for (const path of paths) {
    const [live, proposed] = [hashFile(original, path), hashFile(skill, path)];
    if (live !== null && live === proposed) kept.push({ path, hash: live });
    else files.push({ path, op: operationOf(live, proposed), live, proposed });
  }
  return { files, kept };
}

/** The same offer with other bytes: what the sealed test found and measured is not theirs. */
export function asNotTested(proposal: Proposal, reason: string): Proposal {
  const { answeredBy: _, leftOut: __, perRollout: ___, ...rest } = proposal;
  return { ...rest, verdict: "not-tested", proven: false, reason };
}

/** Times are of one execution, and a proposal is the same for all. */
function withoutTime(costs: ArmCosts): ArmCosts {
  const { ms: _, ...rest } = costs;
  return rest;
}

/** The proposal in a text, or a sentence that says what is wrong with it. */
export const parseProposal = (text: string): Proposal | string => parseBy(proposalSchema, text);

const hashFile = (skill: Skill, path: string): string | null => {
  const content = own(skill.files, path);
  return content === undefined ? null : hashBytes(decodeFile(content));
};

const operationOf = (live: string | null, proposed: string | null): (typeof fileOps)[number] =>
  live === null ? "add" : proposed === null ? "delete" : "replace";
