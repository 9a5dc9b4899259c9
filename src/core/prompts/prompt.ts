import type { z } from "zod";
import type { Sampling } from "./sample.ts";

/** One optimizer contract: instructions that a user may replace, and a reply format that they may not. */
export interface Prompt<Parsed> {
  /** The name for overrides, and the `Contract:` line of the system prompt. */
  readonly name: string;
  readonly instructions: string;
  readonly replyFormat: string;
  readonly schema: z.ZodType<Parsed>;
  /** What a reply's text says, for the schema. @default its JSON object */
  readonly read?: (text: string) => object | null;
  /** A reply as it could come, for rehearsals. */
  readonly sample: (asked: Sampling) => unknown;
}

/** A contract whose replies have the type of its schema. */
export const definePrompt = <Parsed>(prompt: Prompt<Parsed>): Prompt<Parsed> => prompt;

/** The system text: instructions (ours or the user's), then the reply format, then the contract's name. */
export function systemText(prompt: Prompt<unknown>, overrides: Readonly<Record<string, string>>): string {
  const instructions = overrides[prompt.name] ?? prompt.instructions;
  return `${instructions.trim()}\n\n${prompt.replyFormat.trim()}\n\nContract: ${prompt.name}`;
}
