import { isBinary } from "../files.ts";
import type { Skill } from "./skill.ts";

/**
 * The purpose of a skill's file. The body is the main file below its frontmatter; the frontmatter isn't a file, and
 * only `withFrontmatterField` changes it. References are prose, scripts any other text, assets are copied or shown.
 */
export type Surface = "description" | "body" | "reference" | "script" | "asset";

/** The main file if only the description is trained, as a document of its own. */
export const descriptionDocument = "description";

export function surfaceOf(path: string, skill: Skill): Surface {
  if (path === skill.main) return path === descriptionDocument ? "description" : "body";
  if (isBinary(skill.files[path] ?? "")) return "asset";
  // the executable bit says nothing: on some file systems every file has it
  if (/\.(?:md|mdc|txt)$/i.test(path) && !/(?:^|\/)scripts\//i.test(path)) return "reference";
  return /(?:^|\/)assets\//i.test(path) ? "asset" : "script";
}

/** Whether edits may name it: prose always, other text only if scripts may be edited, the rest never. */
export function isEditable(path: string, skill: Skill, allowScripts: boolean): boolean {
  const surface = surfaceOf(path, skill);
  if (path === skill.main || surface === "reference") return true;
  return allowScripts && !isBinary(skill.files[path] ?? "");
}
