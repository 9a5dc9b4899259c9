import { z } from "zod";
import type { Json } from "../json.ts";
import { createScorer } from "./scorer.ts";

/** The answer is JSON, or contains it in a fenced block. */
export const json = createScorer(
  z.union([z.literal(true), z.null()]),
  "the value of a json check must be true",
  (_, { text }) => ({ pass: findJson(text) !== undefined, expected: "to be JSON" }),
);

/**
 * The text as JSON, or its first fenced block that is JSON. A number that overflows doesn't count as JSON, nor does
 * nesting deeper than people write. Every line is read once.
 */
export function findJson(text: string): { readonly value: Json } | undefined {
  const whole = parse(text);
  if (whole !== undefined) return whole;
  let block: string[] | undefined;
  for (const line of text.split("\n")) {
    if (block === undefined) {
      if (/^[ \t]*```/.test(line)) block = [];
    } else if (/^[ \t]*```[ \t]*\r?$/.test(line)) {
      const parsed = parse(block.join("\n"));
      if (parsed !== undefined) return parsed;
      block = undefined;
    } else block.push(line);
  }
  return undefined;
}

function parse(text: string): { readonly value: Json } | undefined {
  // prose is recognised right away, because a parser's error takes a hundred times as long
  if (!/^\s*[[{"\-\dtfn]/.test(text)) return undefined;
  const parsed = parseJson(text);
  return parsed !== undefined && isPlain(parsed.value) ? parsed : undefined;
}

/** Parsed the way JavaScript does: `1e999` is infinite. */
export function parseJson(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}

/** Whether no number in it overflowed, and it's shallow enough for recursion. */
function isPlain(value: Json): boolean {
  let level: readonly (Json | undefined)[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth || level.some((one) => typeof one === "number" && !Number.isFinite(one)))
      return false;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return true;
}

const maxDepth = 500;
