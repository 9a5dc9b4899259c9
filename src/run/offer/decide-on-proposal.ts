import { WhetstoneError } from "../../core/errors.ts";
import { type Decisions, type Review, decide, keepDrops } from "../../core/offer/review.ts";
import { chooseRules } from "./adopt-proposal.ts";
import { holdingProposal, readReview, writeReview } from "./proposal-folder.ts";
import { openReview, rejectProposal } from "./offers.ts";

export interface DecideOptions {
  readonly journalDir: string;
  readonly id: string;
  readonly decisions: Decisions;
  /** Milliseconds since the epoch. @default the clock */
  readonly now?: () => number;
}

/** Keeps what a person says of single rules, also when no rule is left; nothing live changes. What is dropped stays so until it is named again. */
export async function decideOnProposal(options: DecideOptions): Promise<void> {
  const { journalDir, id, decisions } = options;
  const review = openReview(journalDir, id);
  const { rules } = decide(review, keepDrops(review.decisions ?? {}, decisions));
  if (rules.length > 0) await chooseRules(options);
  else await keepDecisions(options);
}

const keepDecisions = ({ journalDir, id, decisions, now = Date.now }: DecideOptions): Promise<void> =>
  holdingProposal(journalDir, id, async () => {
    const { state } = openReview(journalDir, id);
    const stored = readReview(journalDir, id);
    const kept = keepDrops(stored.decisions ?? {}, decisions);
    if (state === "staged") return writeReview(journalDir, { ...stored, decisions: kept, decidedAt: now() });
    throw new WhetstoneError("usage", `Proposal ${id} is ${state}; there is nothing to choose.`, {
      hint: "`whetstone sleep review` shows what waits.",
    });
  });

export interface RejectRuleOptions {
  readonly journalDir: string;
  readonly id: string;
  readonly rule: string;
  readonly reason: string;
}

/** Rejects one rule, and takes it out of the proposed bytes. */
export async function rejectRule({ journalDir, id, rule, reason }: RejectRuleOptions): Promise<Review> {
  const review = await rejectProposal({ journalDir, id, rule, reason });
  if (review.state !== "staged") return review;
  await decideOnProposal({ journalDir, id, decisions: review.decisions ?? {} });
  return openReview(journalDir, id);
}
