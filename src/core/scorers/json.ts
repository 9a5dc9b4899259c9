import { z } from "zod";
import type { Json } from "../json.ts";
import { createScorer } from "./scorer.ts";

/** The answer is JSON, or holds it in a fenced block. */
export const json = createScorer(
  z.union([z.literal(true), z.null()]),
  "the value of a json check must be true",
  (_, { text }) => ({ pass: findJson(text) !== undefined, expected: "to be JSON" }),
);

/** The JSON that a text is, else that of its first fenced block that is JSON. */
export function findJson(text: string): { readonly value: Json } | undefined {
  const whole = parse(text);
  if (whole !== undefined) return whole;
  for (const [, block = ""] of text.matchAll(/^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)) {
    const parsed = parse(block);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function parse(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}
