import type { Json } from "../json.ts";
import type { Invalid } from "../tasks/outcome.ts";

export interface Checked {
  readonly pass: boolean;
  /** Partial credit in [0, 1]. @default 1 for a pass, else 0 */
  readonly score?: number;
  /** The expectation, for the feedback: `to contain "42"`. */
  readonly expected: string;
  /** The answer was too long or too slow to read, so it fails even if the check is negated. */
  readonly unread?: true;
}

export type CheckResult = Checked | Invalid;

/** One check that only reads a text, or a task's `answers`. It's plain data, so it can be scored elsewhere. */
export interface TextCheck {
  readonly kind: string;
  readonly value: Json;
}
