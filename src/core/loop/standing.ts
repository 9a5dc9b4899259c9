import type { FilterState } from "../gate/filter/filter-state.ts";
import type { Skill } from "../skill/skill.ts";

/** Where the search stands: the incumbent, the val winner so far, and what the gate knows of them. */
export interface Standing {
  readonly current: MeasuredSkill;
  readonly best: MeasuredSkill & { readonly step: number };
  readonly gate: GateKnowledge;
}

export interface MeasuredSkill {
  readonly skill: Skill;
  /** The gate's score; null when nothing was measured (`gate: off`). */
  readonly score: number | null;
}

export type GateKnowledge =
  | {
      readonly kind: "strict";
      /** The incumbent's gate score on each val task. */
      readonly byTask: readonly number[];
    }
  | {
      readonly kind: "filter";
      readonly state: FilterState;
      /** Val rollouts spent so far, baseline included and its probe not. */
      readonly spent: number;
    }
  | {
      readonly kind: "paired";
      /** The incumbent's trials on each val task; the draws that the next candidates are compared with. */
      readonly arm: readonly (readonly (number | null)[])[];
      readonly acceptStep: number;
    }
  | { readonly kind: "off" };

/** Whether the gate's own measurements show that the target varies. */
export const isNoisy = ({ gate }: Standing): boolean => gate.kind === "filter" && gate.state.kind === "noisy";
