import type { TextCheck, CheckResult } from "../scorers/checked.ts";

/** Scores a text away from the event loop; what is not done after a second is `unread`. */
export type ScoreAside = (check: TextCheck, text: string) => Promise<CheckResult>;
