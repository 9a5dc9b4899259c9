import { type Context, Script, createContext } from "node:vm";
import { z } from "zod";

export interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** `"pattern"` or `{ pattern, flags? }`. */
export const patternSchema: z.ZodType<Pattern> = z.union([
  z.string().transform((pattern) => ({ pattern, flags: "" })),
  z.strictObject({
    pattern: z.string(),
    flags: z
      .string()
      .regex(/^[imsuv]*$/)
      .default(""),
  }),
]);

/** What is wrong with a pattern, as far as that can be seen without running it. */
export function patternProblem({ pattern, flags }: Pattern): string | undefined {
  if (pattern.length > maxPattern)
    return `a pattern may have ${maxPattern} characters, not ${pattern.length}`;
  if (repeatedRepeat.test(pattern))
    return `the pattern ${pattern} repeats a repetition, which can take for ever; drop one of the two`;
  try {
    RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Whether the pattern matches somewhere; undefined when it had not found out after a second. That makes the check
 * invalid and never a score, so no score depends on how fast a machine is.
 */
export function matchPattern({ pattern, flags }: Pattern, text: string): boolean | undefined {
  box ??= createContext({});
  Object.assign(box, { pattern, flags, text });
  try {
    return Boolean(matching.runInContext(box, { timeout: maxMilliseconds }));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

export const tooSlow = ({ pattern }: Pattern): string =>
  `the pattern ${pattern} took more than ${maxMilliseconds / 1000} s on one text; write it without overlapping repetitions`;

/** The longest text that a pattern is tried on. */
export const maxMatched = 100_000;

const maxPattern = 1000;
const maxMilliseconds = 1000;

// a context of its own, because only a script can be stopped in the middle of a match
const matching = new Script("new RegExp(pattern, flags).test(text)");
let box: Context | undefined;

// (a+)+ and its kin: exponential, and the inner or the outer repetition alone says the same
const repeatedRepeat =
  /\((?:\?:|\?<\w+>)?(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\]()|+*?{}])(?:[+*]|\{\d+,\})\??\)(?:[+*]|\{\d+,\})/;
