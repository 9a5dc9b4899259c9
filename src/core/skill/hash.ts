import { hashJson, hashText } from "../canonical.ts";
import type { Skill } from "./skill.ts";

/** The short name of a skill text: 16 hex digits of SHA-256. */
export const skillHash = (text: string): string => hashText(text).slice(0, 16);

/** The identity of a whole skill, 64 hex digits: which file is main, and every file's path and text. */
export const skillIdentity = (skill: Skill): string => hashJson({ main: skill.main, files: skill.files });
