import type { Judging, DeterministicState } from "./filter-state.ts";

// sums of the same scores in another order may differ by this much
const rounding = 1e-9;

export interface DeterministicVerdict {
  readonly action: "accept" | "reject" | "undecided";
  /** When stopped early, the most that the candidate could have gained. */
  readonly estimate: number;
  readonly state: DeterministicState;
}

/** Without noise one trial is the truth: a strictly greater mean wins. */
export function judgeDeterministic(judging: Judging, state: DeterministicState): DeterministicVerdict {
  const room = roomLeft(judging, state);
  const estimate = room / state.scores.length;
  if (room <= rounding) return { action: "reject", estimate, state };
  if (judging.scores.includes(null)) return { action: "undecided", estimate, state };
  const scores = [...state.scores];
  judging.scores.forEach((score, at) => {
    scores[judging.order[at] ?? 0] = score ?? 0;
  });
  return { action: "accept", estimate, state: { kind: "deterministic", scores } };
}

/** The fewest further results that could reject the candidate: rolling that many at once wastes none. */
export function fewestToReject(judging: Judging, state: DeterministicState): number {
  return Math.max(Math.ceil(roomLeft(judging, state) - rounding), 1);
}

/** By how much the candidate's sum could still exceed the incumbent's. */
export function roomLeft({ scores }: Judging, state: DeterministicState): number {
  const lost = scores.reduce<number>((sum, score) => sum + (score === null ? 0 : 1 - score), 0);
  return state.scores.length - lost - state.scores.reduce((sum, score) => sum + score, 0);
}

export function isRejected(judging: Judging, state: DeterministicState): boolean {
  return roomLeft(judging, state) <= rounding;
}
