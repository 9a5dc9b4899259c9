import { hashJson, hashText } from "../canonical.ts";
import { type Skill, mainText } from "./skill.ts";

/**
 * The short name of a skill text: 16 hex digits of SHA-256.
 *
 * @example
 * skillHash("# Desk\n");
 */
export const skillHash = (text: string): string => hashText(text).slice(0, 16);

/** The short name of a whole skill; for a single file, that of its text. */
export const shortIdentity = (skill: Skill): string =>
  Object.keys(skill.files).length === 1 ? skillHash(mainText(skill)) : skillIdentity(skill).slice(0, 16);

/** The identity of a whole skill, 64 hex digits: main file, all paths and contents, and which files are executable. */
export function skillIdentity(skill: Skill): string {
  const { main, files, executable = [] } = skill;
  const rest = executable.length === 0 ? {} : { executable: executable.toSorted() };
  const identity = identities.get(skill) ?? hashJson({ main, files, ...rest });
  identities.set(skill, identity);
  return identity;
}

/** A skill never changes, so it's hashed once. */
const identities = new WeakMap<Skill, string>();

/** Equal for skills that only differ in the name of a single file, its line ends or its trailing lines. */
export const textIdentity = (skill: Skill): string =>
  Object.keys(skill.files).length === 1
    ? hashText(mainText(skill).replaceAll("\r\n", "\n").trimEnd())
    : skillIdentity(skill);
