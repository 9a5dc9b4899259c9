import { z } from "zod";

const measured = z.object({
  /** The gate's score; null when nothing was measured (`gate: off`). */
  score: z.number().nullable(),
  hash: z.string(),
});

/** The state of a rule after a step, if it's still being tested or was added. */
const openRuleSchema = z.object({
  rule: z.number(),
  /** Whether it's in the text that the search builds on. */
  state: z.enum(["in", "open"]),
  /** Its expected effect in points, 5.6 for +5.6, and the uncertainty of that. */
  points: z.number(),
  sd: z.number(),
  /** Its text, in one line. */
  text: z.string().optional(),
});

/** The evidence for a gate's decision. */
const gateEvidenceSchema = z.object({
  rollouts: z.number(),
  p: z.number().optional(),
  estimate: z.number().optional(),
  sd: z.number().optional(),
  wins: z.number().optional(),
  losses: z.number().optional(),
  ties: z.number().optional(),
  /** Tasks that the incumbent always passed and the candidate never passed, with the p of their re-run. */
  lost: z
    .array(z.object({ task: z.string(), p: z.number().nullable() }).readonly())
    .readonly()
    .optional(),
  /** With `gate: rules`: the state of each rule after the step. */
  rules: z.array(openRuleSchema.readonly()).readonly().optional(),
});

/** The record of one step: the body of the event `step-end`, and step_record.json. Reports are made from it. */
export const stepRecordSchema = z.object({
  step: z.number(),
  epoch: z.number(),
  /** Edits that the step was allowed to apply. */
  budget: z.number(),
  action: z.enum(["accept_new_best", "accept", "reject", "return_to_original", "skip", "undecided"]),
  /** Why, in one sentence for people. */
  reason: z.string(),
  /** The candidate's score at the gate. */
  score: z.number().nullable(),
  evidence: gateEvidenceSchema.readonly().nullable(),
  /** The incumbent and the best after the step. */
  current: measured.readonly(),
  best: measured.extend({ step: z.number() }).readonly(),
});

/** The same as an event, with the number of edits applied and refused. */
export const endedStepSchema = stepRecordSchema.extend({
  edits: z.number(),
  refused: z.number(),
  /** Refused edits, counted by status; missing if there are none. */
  refusals: z.record(z.string(), z.number()).readonly().optional(),
});

export type StepAction = z.infer<typeof stepRecordSchema>["action"];
export type OpenRule = Readonly<z.infer<typeof openRuleSchema>>;
export type GateEvidence = Readonly<z.infer<typeof gateEvidenceSchema>>;
export type StepRecord = Readonly<z.infer<typeof stepRecordSchema>>;

export type EndedStep = Readonly<z.infer<typeof endedStepSchema>>;
