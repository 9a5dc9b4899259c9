import { type Checked, type CheckResult } from "./checked.ts";
import type { z } from "zod";
import type { Json } from "../json.ts";
import type { Invalid } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { Performance, ScoringTools } from "./performance.ts";

/** Things a scorer may need besides the performance. */
export interface Scoring {
  readonly task: Task;
  readonly tools: ScoringTools;
}

/** One kind of check. */
export interface Scorer<Value = unknown> {
  /** The check's value as the scorer uses it. A value that it can't use is `invalid`, never a fail. */
  read(value: Json): { readonly value: Value } | Invalid;
  /** Only a check with outside calls returns a promise, and only that may reject. */
  score(value: Value, performance: Performance, scoring: Scoring): CheckResult | Promise<CheckResult>;
}

/** One kind of check that only reads the answer's text, without calls. */
export interface TextScorer<Value = unknown> extends Pick<Scorer<Value>, "read"> {
  score(value: Value, answer: Pick<Performance, "text">): CheckResult;
}

/** A scorer whose value has a schema; `rule` describes in words what the schema accepts. */
export function createScorer<Value, Score extends Scorer<Value>["score"]>(
  schema: z.ZodType<Value>,
  rule: string,
  score: Score,
): Pick<Scorer<Value>, "read"> & { readonly score: Score } {
  return {
    read(value) {
      const parsed = schema.safeParse(value);
      return parsed.success ? { value: parsed.data } : invalid(rule);
    },
    score,
  };
}

export const invalid = (reason: string): Invalid => ({ kind: "invalid", reason });

/** The target controls the size and shape of its answer, so neither may turn a fail into a missing result or a pass. */
export const unread = (expected: string): Checked => ({ pass: false, score: 0, expected, unread: true });

/** A text for feedback: quoted, on one line, and short. */
export function quote(text: string): string {
  const line = text.trimStart().slice(0, 20_000).trimEnd().replaceAll(/\s+/g, " ");
  const characters = Array.from(line.slice(0, 400));
  const short = characters.length > 200 ? `${characters.slice(0, 199).join("")}…` : line;
  return `"${short}"`;
}
