import { type Context, Script, createContext } from "node:vm";
import { z } from "zod";
import type { Json } from "../json.ts";
import { type Scorer, invalid } from "./scorer.ts";

export interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

export const flagsSchema = z
  .string()
  .regex(/^[imsuv]*$/)
  .default("");

/** `"pattern"` or `{ pattern, flags? }`. */
export const patternSchema: z.ZodType<Pattern> = z.union([
  z.string().transform((pattern) => ({ pattern, flags: "" })),
  z.strictObject({ pattern: z.string(), flags: flagsSchema }),
]);

/** Reads a check's value by its schema, and checks the patterns in it. */
export const readPatterned =
  <Value>(
    schema: z.ZodType<Value>,
    rule: string,
    patternsOf: (value: Value) => readonly (Pattern | undefined)[],
  ): Scorer<Value>["read"] =>
  (value: Json) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) return invalid(rule);
    const problems = patternsOf(parsed.data).map((one) => one && patternProblem(one));
    const problem = problems.find((one) => one !== undefined);
    return problem === undefined ? { value: parsed.data } : invalid(problem);
  };

/** Describes a problem of a pattern, as far as that's possible without running it. */
export function patternProblem({ pattern, flags }: Pattern): string | undefined {
  if (pattern.length > maxPattern)
    return `a pattern may have ${maxPattern} characters, not ${pattern.length}`;
  if (repeatedRepeat.test(pattern))
    return `the pattern ${pattern} repeats a repetition, which can take forever; remove one of the two`;
  try {
    RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * How often the pattern matches, counting up to `most`; undefined if the text is too long to try, or after a second
 * without a result. The length is checked first because it's the same everywhere. The machine's speed then only matters
 * for patterns that start over at every letter.
 */
export function countMatches(
  { pattern, flags }: Pattern,
  text: string,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  if (text.length > maxMatched) return undefined;
  if (isStraight(pattern)) return text.match(RegExp(pattern, `${flags}g`))?.length ?? 0;
  box ??= createContext({});
  Object.assign(box, { pattern, flags, text, most });
  try {
    return Number(counting.runInContext(box, { timeout: maxMilliseconds }));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/** Whether it matches somewhere. */
export function matchPattern(pattern: Pattern, text: string): boolean | undefined {
  const found = countMatches(pattern, text, 1);
  return found === undefined ? undefined : found > 0;
}

/** A pattern that repeats nothing and has no groups reads each letter a few times, whatever the text. */
export const isStraight = (pattern: string): boolean =>
  !/[*+?{(]/.test(pattern.replaceAll(/\\[^kpPux\d]|\[(?:\\.|[^\]\\])*\]/g, ""));

/** The longest text to try a pattern on. */
const maxMatched = 100_000;

/** Why a pattern couldn't read a text, to print after the expectation. */
export const whyUnread = (text: string): string =>
  text.length > maxMatched
    ? ` (and to have at most ${maxMatched} characters)`
    : " (and to have a shape on which that is known within a second)";

const maxPattern = 1000;
const maxMilliseconds = 1000;

// runs in its own context, because only a script can be stopped during a match
const counting = new Script(`{
  let found = 0;
  for (const _ of text.matchAll(new RegExp(pattern, flags + "g"))) if (++found >= most) break;
  found;
}`);
let box: Context | undefined;

// (a+)+ and similar patterns are exponential, and one of the two repetitions alone means the same
const repeatedRepeat =
  /\((?:\?:|\?<\w+>)?(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\]()|+*?{}])(?:[+*]|\{\d+,\})\??\)(?:[+*]|\{\d+,\})/;
