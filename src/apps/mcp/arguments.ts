import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { z } from "zod";
import { WhetstoneError } from "../../core/errors.ts";
import { findHiddenCharacters } from "../../core/guard/hidden-characters.ts";
import { oneLine } from "../../core/one-line.ts";

/** The start of an id. It's looked up among the existing ids, never made into a path or a flag. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);

export const idArgument = id.describe("its id, or the start of it");

/** A rule's id: a number, a hash, or a file and a line. */
const rule = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,199}$/);

export const ruleArgument = rule.describe("its id, or the start of it");
export const ruleIds = z.array(rule).min(1).max(50);
/** A person's words, without hidden characters. */
export const words = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => findHiddenCharacters(text).length === 0, "has invisible characters");

export const skillPath = z
  .string()
  .max(300)
  // no flag, home, drive or parent folder; links are checked when the path is used
  .regex(/^(?![-~/\\])(?!(?:.*[/\\])?\.\.(?:[/\\]|$))[^\p{C}:]+$/u)
  .describe("a file, or a folder with SKILL.md, relative to the project's folder");

/** Parses arguments. Its error is short and doesn't repeat what was sent. */
export function readArguments<Output>(name: string, schema: z.ZodType<Output>, given: unknown): Output {
  const parsed = schema.safeParse(given ?? {});
  const isPolluted = typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__");
  if (parsed.success && !isPolluted) return parsed.data;
  const problem = parsed.success ? "__proto__ is not an argument" : z.prettifyError(parsed.error);
  throw new WhetstoneError("usage", `Invalid arguments for ${name}: ${oneLine(problem, 300)}`, {
    hint: "Send only what its input schema allows.",
  });
}

/** The full path, if it's inside the project with all links followed. */
export function insideProject(path: string, cwd: string): string {
  const full = resolve(cwd, path);
  if (!existsSync(full))
    throw new WhetstoneError("not-found", `${path} doesn't exist in this project.`, {
      hint: "Name a file, or a folder with SKILL.md, relative to the project's folder.",
    });
  if (isInside(full, cwd)) return full;
  throw new WhetstoneError("not-allowed", `${path} is outside the project.`, {
    hint: "This server only works in the folder it was started in.",
  });
}

export const isInside = (path: string, cwd: string): boolean =>
  `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(cwd)}${sep}`);
