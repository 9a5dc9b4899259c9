import type { z } from "zod";
import type { Json } from "../json.ts";
import type { Invalid } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { Performance, ScoringTools } from "./score-task.ts";

export interface Checked {
  readonly pass: boolean;
  /** Partial credit in [0, 1]. @default 1 for a pass, else 0 */
  readonly score?: number;
  /** What was wanted, for the feedback: `to contain "42"`. */
  readonly expected: string;
}

/** What a scorer may need beside the performance. */
export interface Scoring {
  readonly task: Task;
  readonly tools: ScoringTools;
}

export type Verdict = Checked | Invalid;

/** One kind of check. */
export interface Scorer<Value = unknown> {
  /** The check's value as the scorer uses it. One that it cannot use is `invalid`, never a fail. */
  read(value: Json): { readonly value: Value } | Invalid;
  /** Only what asks the world is a promise: it alone may reject. */
  score(value: Value, performance: Performance, scoring: Scoring): Verdict | Promise<Verdict>;
}

/** A scorer whose value is described by a schema; `rule` says in words what the schema wants. */
export function createScorer<Value>(
  schema: z.ZodType<Value>,
  rule: string,
  score: Scorer<Value>["score"],
): Scorer<Value> {
  return {
    read(value) {
      const parsed = schema.safeParse(value);
      return parsed.success ? { value: parsed.data } : invalid(rule);
    },
    score,
  };
}

export const invalid = (reason: string): Invalid => ({ kind: "invalid", reason });

/** A text for feedback: quoted, on one line, and short. */
export function quote(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  const characters = Array.from(line.slice(0, 400));
  const short = characters.length > 200 ? `${characters.slice(0, 199).join("")}…` : line;
  return `"${short}"`;
}
