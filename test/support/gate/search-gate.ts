export type SearchAction = "accept" | "reject" | "original" | "stop";

/** A rule that decides, proposal by proposal, what the search builds on. */
export interface SearchGate {
  judge(roll: (task: number) => number, rolloutsLeft: number, proposalsLeft: number): SearchAction;
  /** The incumbent's score as this rule sees it. */
  score(): number;
  /** Whether the finished search goes back to the original. */
  endsWithOriginal?(): boolean;
}
