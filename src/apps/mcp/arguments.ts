import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { z } from "zod";
import { WhetstoneError } from "../../core/errors.ts";
import { findHiddenCharacters } from "../../core/guard/hidden-characters.ts";
import { oneLine } from "../../core/one-line.ts";

/** The beginning of an id. It is looked up among those that are there, never made into a path or a flag. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);

export const idArgument = id.describe("the beginning of its id");

/** Of a rule: a number, a hash, or a file and a line. */
const rule = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,199}$/);

export const ruleArgument = rule.describe("its id, or the beginning of it");
export const ruleIds = z.array(rule).min(1).max(50);
/** What a person said, of which nothing is hidden. */
export const words = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => findHiddenCharacters(text).length === 0, "has characters that nobody sees");

export const skillPath = z
  .string()
  .max(300)
  // no flag, no home, no drive, no way up; what a link does is looked at where the path is used
  .regex(/^(?![-~/\\])(?!(?:.*[/\\])?\.\.(?:[/\\]|$))[^\p{C}:]+$/u)
  .describe("a file, or a folder with SKILL.md, from the project's folder");

/** What fits no schema is said in a few words: what was sent is not repeated. */
export function readArguments<Output>(name: string, schema: z.ZodType<Output>, given: unknown): Output {
  const parsed = schema.safeParse(given ?? {});
  const isPolluted = typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__");
  if (parsed.success && !isPolluted) return parsed.data;
  const problem = parsed.success ? "__proto__ is not an argument" : z.prettifyError(parsed.error);
  throw new WhetstoneError(
    "usage",
    `The arguments of ${name} are not what it takes: ${oneLine(problem, 300)}`,
    {
      hint: "Send what its input schema says, and nothing else.",
    },
  );
}

/** The path, if it leads into the project with all links followed. */
export function insideProject(path: string, cwd: string): string {
  const full = resolve(cwd, path);
  if (!existsSync(full))
    throw new WhetstoneError("not-found", `There is no ${path} in this project.`, {
      hint: "Name a file, or a folder with SKILL.md, from the project's folder.",
    });
  if (isInside(full, cwd)) return full;
  throw new WhetstoneError("not-allowed", `${path} leads out of the project.`, {
    hint: "This server works in the folder that it was started in, and nowhere else.",
  });
}

export const isInside = (path: string, cwd: string): boolean =>
  `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(cwd)}${sep}`);
