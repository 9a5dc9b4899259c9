import { endsWithOriginal } from "../gate/filter/filter.ts";
import type { Skill } from "../skill/skill.ts";
import type { Standing } from "./standing.ts";

/** What the search hands over: its winner, or the original when the winner's gain is too much in doubt. */
export function endSearch(standing: Standing, original: Skill): Standing {
  if (standing.gate.kind !== "filter" || !endsWithOriginal(standing.gate.state)) return standing;
  const measured = { skill: original, score: standing.current.score };
  return { ...standing, current: measured, best: { ...measured, step: 0 } };
}
