import { z } from "zod";
import type { ToolCall } from "../ports/agent.ts";
import type { ScoreAside } from "../ports/scoring.ts";
import { type Pattern, patternSchema } from "./pattern.ts";
import { scoreText } from "./score-text.ts";
import { quote } from "./scorer.ts";

/** Calls of one tool, perhaps only those whose input, written as JSON, matches a pattern. */
export interface WantedCall {
  readonly name: string;
  readonly matches?: Pattern | undefined;
}

/** A tool's name, or `{ name, matches? }`. */
export const wantedCallSchema: z.ZodType<WantedCall> = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name })),
  z.strictObject({ name: z.string().min(1), matches: patternSchema.optional() }),
]);

/** Which of these calls they are, in order; undefined when an input was too long or too odd for the pattern. */
export async function findCalls(
  { name, matches }: WantedCall,
  calls: readonly ToolCall[],
  aside?: ScoreAside,
): Promise<readonly number[] | undefined> {
  const found: number[] = [];
  for (const [at, call] of calls.entries()) {
    if (call.name !== name) continue;
    const isMatch = matches === undefined || (await matchInput(matches, call, aside));
    if (isMatch === undefined) return undefined;
    if (isMatch) found.push(at);
  }
  return found;
}

async function matchInput(
  { pattern, flags }: Pattern,
  { input }: ToolCall,
  aside?: ScoreAside,
): Promise<boolean | undefined> {
  const text = JSON.stringify(input);
  const verdict = await scoreText({ kind: "regex", value: { pattern, flags } }, text, aside);
  return "kind" in verdict || verdict.unread === true ? undefined : verdict.pass;
}

/** For the feedback. */
export const nameCall = ({ name, matches }: WantedCall): string =>
  matches === undefined ? name : `${name} with an input that matches ${quote(matches.pattern)}`;
