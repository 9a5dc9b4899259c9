import type { Skill } from "../../skill/skill.ts";

/** A text that a night may propose rules for. */
export interface Document {
  /** `skill:<name>` or `memory:<file name>`, with `personal:` before it when it belongs to the person. */
  readonly id: string;
  readonly kind: "skill" | "memory";
  readonly scope: "project" | "personal";
  /** What a person calls it: the skill's name, or the file's. */
  readonly name: string;
  /** Where it lives: a file or an Agent Skill folder, absolute. It may not exist yet. */
  readonly path: string;
  /** The agents that read it, of a memory. */
  readonly readBy?: readonly string[];
  /** The person allowed it by name for rules that its agents were not told. @default false */
  readonly isAllowed?: boolean;
  /** What is there; an empty main text where there is nothing. */
  readonly skill: Skill;
}
