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
    /** SHA-256 of the bytes that the run started from; null for an added file. */
    live: hash.nullable(),
    /** SHA-256 of the proposed bytes; null for a deleted file. */
    proposed: hash.nullable(),
  })
  .refine(({ op, live, proposed }) => op === operationOf(live, proposed), "op doesn't match the hashes");

const keptFileSchema = z.object({ path: z.string().min(1), hash });

const changeSchema = {
  /** Only the files that change. */
  files: z.array(proposedFileSchema).readonly(),
  /** The files that stay. The verdict was reached with exactly these. */
  kept: z.array(keptFileSchema).readonly(),
};

/** Texts of a run that can be adopted instead of its proposal. None of them is proven. */
export type TextName = "one-shot" | "lean" | "full";

/** The folder of a run that contains such a text. */
export const otherFolder = (name: TextName): string => `${name.replace("-", "_")}_skill`;

const otherTextSchema = z.object({
  /** Whether it can be adopted. A one-shot rewrite must have measured better than the proposed text, and pass all guards. */
  isOffered: z.boolean(),
  /** Its measurement, and why it isn't offered. */
  sentence: z.string(),
  ...changeSchema,
});

/** The offer of a finished run: which bytes would replace which, and the evidence for them. */
const proposalSchema = z.object({
  v: z.literal(1),
  run: z.string().regex(/^[\w-]+$/),
  /** The sealed test's verdict on the best skill. `not-worse` or `no-loss` for a pruned one; `not-tested` if it wasn't read. */
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
  /** The model names that the provider reported in the sealed test. */
  answeredBy: words.optional(),
  /** Ids of test tasks that a person left out: they counted as lost. */
  leftOut: words.optional(),
  /** The cost of a rollout with the original and with the proposed skill. */
  perRollout: armCostsSchema.optional(),
  /** The path of the skill's main file. */
  main: z.string(),
  ...changeSchema,
  /** The one-shot rewrite, and the lean or the full text, whichever isn't proposed. `adopt` takes them by name. */
  others: z
    .object({
      "one-shot": otherTextSchema.optional(),
      lean: otherTextSchema.optional(),
      full: otherTextSchema.optional(),
    })
    .optional(),
  /** The rules that make up the change, if each was measured: a person may choose some of them. */
  rules: z.array(ruleSchema).readonly().optional(),
  /** The original's score on val, to which the rules' points are added. */
  baseline: z.number().optional(),
  /** A model's findings in new lines that belong to no single rule; for a night, in all of them. */
  looked: z.array(lookedSchema).readonly().optional(),
});

export type Proposal = Readonly<z.infer<typeof proposalSchema>>;
export type ProposedFile = Readonly<z.infer<typeof proposedFileSchema>>;
export type KeptFile = Readonly<z.infer<typeof keptFileSchema>>;

export interface ProposalInput {
  readonly run: string;
  readonly original: Skill;
  readonly best: Skill;
  /** The sealed test of original against best, if there was one. */
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
  /** Other texts, with the evidence for them. */
  readonly others?: Partial<Record<TextName, MeasuredText>>;
  /** The rules of the change. They're offered if they make up the best skill. */
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
    reason: sealed?.sentence ?? reason ?? "No sealed test was run, so no gain is claimed.",
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

/** Undefined if the rules don't make up the text, so that they can't be chosen one by one. */
function offeredRules({ original, best, rules = [] }: ProposalInput): readonly Rule[] | undefined {
  if (rules.length === 0) return undefined;
  const { skill } = composeRules(original, rules, rules);
  return skillIdentity(skill) === skillIdentity(best) ? rules : undefined;
}

/** The differences between two skills, and the files that stay. */
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

/** The same offer with other bytes, to which the sealed test's findings don't apply. */
export function asNotTested(proposal: Proposal, reason: string): Proposal {
  const { answeredBy: _, leftOut: __, perRollout: ___, ...rest } = proposal;
  return { ...rest, verdict: "not-tested", proven: false, reason };
}

/** Times belong to one execution, but a proposal is the same for all. */
function withoutTime(costs: ArmCosts): ArmCosts {
  const { ms: _, ...rest } = costs;
  return rest;
}

/** Parses a proposal, or returns a sentence that says what's wrong with it. */
export const parseProposal = (text: string): Proposal | string => parseBy(proposalSchema, text);

const hashFile = (skill: Skill, path: string): string | null => {
  const content = own(skill.files, path);
  return content === undefined ? null : hashBytes(decodeFile(content));
};

const operationOf = (live: string | null, proposed: string | null): (typeof fileOps)[number] =>
  live === null ? "add" : proposed === null ? "delete" : "replace";
