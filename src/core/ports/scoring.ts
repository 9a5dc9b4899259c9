import type { TextCheck, CheckResult } from "../scorers/checked.ts";

/** Scores a text off the event loop. A check that isn't done after a second is `unread`. */
export type ScoreAside = (check: TextCheck, text: string) => Promise<CheckResult>;
