import type { TextCheck } from "../scorers/score-text.ts";
import type { Verdict } from "../scorers/scorer.ts";

/** Scores a text away from the event loop; what is not done after a second is `unread`. */
export type ScoreAside = (check: TextCheck, text: string) => Promise<Verdict>;
