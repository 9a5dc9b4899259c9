import type { Skill } from "../../skill/skill.ts";

/** A text that a night may propose rules for. */
export interface Document {
  /** `skill:<name>` or `memory:<file name>`, with the prefix `personal:` if it belongs to the person. */
  readonly id: string;
  readonly kind: "skill" | "memory";
  readonly scope: "project" | "personal";
  /** Its name for a person: the skill's name, or the file's. */
  readonly name: string;
  /** Its path: a file or an Agent Skill folder, absolute. It may not exist yet. */
  readonly path: string;
  /** For a memory, the agents that read it. */
  readonly readBy?: readonly string[];
  /** The person allowed it by name for rules that its agents didn't receive. @default false */
  readonly isAllowed?: boolean;
  /** The current content; an empty main text if it doesn't exist. */
  readonly skill: Skill;
}
