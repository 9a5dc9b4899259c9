import { z } from "zod";
import type { PowerRank } from "../guard/power.ts";
import type { Rule } from "../rules/rule.ts";
import { type ArmCosts, armCostsSchema } from "../measure/arm-costs.ts";

/**
 * Written before the first live byte changes and after the last: whoever finds `adopting` or `undoing` knows what
 * an interrupted process meant to do, and finishes it.
 */
export interface Receipt {
  readonly v: 1;
  /** Also the name of the folder that holds the bytes from before and after. */
  readonly id: string;
  readonly run: string;
  readonly phase: "adopting" | "adopted" | "undoing" | "undone";
  /** Milliseconds since the epoch, of this phase. */
  readonly at: number;
  readonly proven: boolean;
  /** What the sealed test said. */
  readonly verdict?: string;
  /** Who answered in it, as the provider named itself. */
  readonly answeredBy?: readonly string[];
  /** Ids of test tasks that a person left out: they counted as lost. */
  readonly leftOut?: readonly string[];
  /** What a rollout took with the skill before and with the adopted one, in the sealed test. */
  readonly perRollout?: ArmCosts;
  readonly live: LiveSkill;
  readonly files: readonly ReceiptFile[];
  /** Folders that had to be made for added files, outermost first, relative to the skill. */
  readonly folders: readonly string[];
  /** Which rules were taken, and what was known of each; of a night, or where they were measured one by one. */
  readonly rules?: readonly Pick<Rule, "id" | "label">[];
  /** The new powers that the person acknowledged, one by one. */
  readonly acknowledged?: readonly AcknowledgedPower[];
}

export interface AcknowledgedPower {
  readonly id: string;
  readonly kind: string;
  readonly rank: PowerRank;
  readonly item: string;
  readonly path: string;
  readonly line: number;
}

/** Where a skill lives: one file, or a folder. */
export interface LiveSkill {
  readonly kind: "file" | "folder";
  /** Absolute, links resolved. */
  readonly path: string;
}

export interface ReceiptFile {
  readonly path: string;
  /** SHA-256 of the bytes before and after adoption; null where there is no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** Permission bits before adoption. */
  readonly mode: number | null;
}

/** The receipt in a text, or a sentence that says what is wrong with it. */
export function parseReceipt(text: string): Receipt | string {
  try {
    const parsed = receiptSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : z.prettifyError(parsed.error);
  } catch (error) {
    return String(error);
  }
}

export const liveSkillSchema = z.object({ kind: z.enum(["file", "folder"]), path: z.string().min(1) });

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

const receiptSchema = z.object({
  v: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  run: z.string().regex(/^[\w-]+$/),
  phase: z.enum(["adopting", "adopted", "undoing", "undone"]),
  at: z.number(),
  proven: z.boolean(),
  verdict: z.string().optional(),
  answeredBy: z.array(z.string()).optional(),
  leftOut: z.array(z.string()).optional(),
  perRollout: armCostsSchema.optional(),
  live: liveSkillSchema,
  files: z.array(z.object({ path: z.string().min(1), before: hash, after: hash, mode: z.int().nullable() })),
  folders: z.array(z.string().min(1)),
  rules: z.array(z.object({ id: z.string(), label: z.string() })).optional(),
  acknowledged: z
    .array(
      z.object({
        id: z.string(),
        kind: z.string(),
        rank: z.enum(["ask", "note"]),
        item: z.string(),
        path: z.string(),
        line: z.int(),
      }),
    )
    .optional(),
});
