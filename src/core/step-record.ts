import { z } from "zod";

const measured = z.object({
  /** The gate's score; null when nothing was measured (`gate: off`). */
  score: z.number().nullable(),
  hash: z.string(),
});

/** What is known after a step of a rule that is under test or built in. */
const openRuleSchema = z.object({
  rule: z.number(),
  /** Whether it is in the text that the search builds on. */
  state: z.enum(["in", "open"]),
  /** Points of score that it brings, 5.6 for +5.6: expected, and how uncertain that is. */
  points: z.number(),
  sd: z.number(),
  /** What it says, in one line. */
  text: z.string().optional(),
});

/** What a gate's decision rests on. */
const gateEvidenceSchema = z.object({
  rollouts: z.number(),
  p: z.number().optional(),
  estimate: z.number().optional(),
  sd: z.number().optional(),
  wins: z.number().optional(),
  losses: z.number().optional(),
  ties: z.number().optional(),
  /** Tasks that the incumbent always passed and the candidate never did, with the p of their re-run. */
  lost: z
    .array(z.object({ task: z.string(), p: z.number().nullable() }).readonly())
    .readonly()
    .optional(),
  /** With `gate: rules`: what is known of each rule after the step. */
  rules: z.array(openRuleSchema.readonly()).readonly().optional(),
});

/** One step as it is written down: body of the event `step-end`, and step_record.json. Reports are made of it. */
export const stepRecordSchema = z.object({
  step: z.number(),
  epoch: z.number(),
  /** Edits that the step was allowed to apply. */
  budget: z.number(),
  action: z.enum(["accept_new_best", "accept", "reject", "return_to_original", "skip", "undecided"]),
  /** In one sentence, for a person. */
  reason: z.string(),
  /** The candidate's score as the gate saw it. */
  score: z.number().nullable(),
  evidence: gateEvidenceSchema.readonly().nullable(),
  /** The incumbent and the best after the step. */
  current: measured.readonly(),
  best: measured.extend({ step: z.number() }).readonly(),
});

/** The same as an event tells it, with how many edits were applied and refused. */
export const endedStepSchema = stepRecordSchema.extend({
  edits: z.number(),
  refused: z.number(),
  /** Refused edits by the status in their report; missing where there is none. */
  refusals: z.record(z.string(), z.number()).readonly().optional(),
});

export type StepAction = z.infer<typeof stepRecordSchema>["action"];
export type OpenRule = Readonly<z.infer<typeof openRuleSchema>>;
export type GateEvidence = Readonly<z.infer<typeof gateEvidenceSchema>>;
export type StepRecord = Readonly<z.infer<typeof stepRecordSchema>>;

export type EndedStep = Readonly<z.infer<typeof endedStepSchema>>;
