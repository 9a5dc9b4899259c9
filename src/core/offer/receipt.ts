import { z } from "zod";
import { armCostsSchema } from "../measure/arm-costs.ts";
import { parseBy } from "./parse-by.ts";

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();
const words = z.array(z.string()).readonly();

/** The place of a live skill: one file, or a folder. */
export const liveSkillSchema = z.object({
  kind: z.enum(["file", "folder"]),
  /** Absolute, links resolved. */
  path: z.string().min(1),
});

const receiptFileSchema = z.object({
  path: z.string().min(1),
  /** SHA-256 of the bytes before and after adoption; null without a file. */
  before: hash,
  after: hash,
  /** Permission bits before adoption. */
  mode: z.int().nullable(),
});

const acknowledgedPowerSchema = z.object({
  id: z.string(),
  kind: z.string(),
  rank: z.enum(["ask", "note"]),
  item: z.string(),
  path: z.string(),
  line: z.int(),
});

/**
 * Written before the first live byte changes and after the last. A later process that finds `adopting` or `undoing`
 * knows what an interrupted one was doing, and finishes it.
 */
const receiptSchema = z.object({
  v: z.literal(1),
  /** Also the name of the folder with the bytes from before and after. */
  id: z.string().regex(/^[\w-]+$/),
  run: z.string().regex(/^[\w-]+$/),
  phase: z.enum(["adopting", "adopted", "undoing", "undone"]),
  /** When this phase happened, in milliseconds since the epoch. */
  at: z.number(),
  proven: z.boolean(),
  /** The sealed test's verdict. */
  verdict: z.string().optional(),
  /** The model names that the provider reported in it. */
  answeredBy: words.optional(),
  /** Ids of test tasks that a person left out: they counted as lost. */
  leftOut: words.optional(),
  /** The cost of a rollout with the previous and with the adopted skill, in the sealed test. */
  perRollout: armCostsSchema.optional(),
  live: liveSkillSchema,
  files: z.array(receiptFileSchema).readonly(),
  /** Folders that were created for added files, outermost first, relative to the skill. */
  folders: z.array(z.string().min(1)).readonly(),
  /** The rules that were taken, with the evidence for each; for a night, or if they were measured one by one. */
  rules: z
    .array(z.object({ id: z.string(), label: z.string() }))
    .readonly()
    .optional(),
  /** The new powers that the person acknowledged, one by one. */
  acknowledged: z.array(acknowledgedPowerSchema).readonly().optional(),
});

export type Receipt = Readonly<z.infer<typeof receiptSchema>>;
export type ReceiptFile = Readonly<z.infer<typeof receiptFileSchema>>;
export type AcknowledgedPower = Readonly<z.infer<typeof acknowledgedPowerSchema>>;
export type LiveSkill = Readonly<z.infer<typeof liveSkillSchema>>;

/** Parses a receipt, or returns a sentence that says what's wrong with it. */
export const parseReceipt = (text: string): Receipt | string => parseBy(receiptSchema, text);
