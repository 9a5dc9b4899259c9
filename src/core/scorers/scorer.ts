import type { Json } from "../json.ts";
import type { Invalid } from "../tasks/outcome.ts";

export interface Checked {
  readonly pass: boolean;
  /** What was wanted, for the feedback: `to contain "42"`. */
  readonly expected: string;
}

/** Judges an answer by a check's value. A value it cannot use is `invalid`, never a fail. */
export type Scorer = (value: Json, answer: string) => Checked | Invalid;

export const invalid = (reason: string): Invalid => ({ kind: "invalid", reason });

/** A text for feedback: quoted, on one line, and short. */
export function quote(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  const characters = Array.from(line.slice(0, 400));
  const short = characters.length > 200 ? `${characters.slice(0, 199).join("")}…` : line;
  return `"${short}"`;
}
