import { claimSentence } from "./claim-sentence.ts";
import type { Sealed } from "./seal.ts";

/** What the sealed test says, in one sentence that claims no more than it found. */
export function sealedSentence(sealed: Sealed | undefined): string {
  if (sealed === undefined) return "There is no test split, so no gain is claimed.";
  if (sealed.kind === "unchanged") return "The original skill stays, so there is nothing to claim.";
  if (sealed.kind === "refused") {
    const { tasksNeeded, trialsNeeded } = sealed.limits;
    const trials = trialsNeeded === null ? "" : ` or ${trialsNeeded} trials`;
    return `The test split is too small for any claim: ${tasksNeeded} tasks${trials} would do.`;
  }
  const { claim, read } = sealed;
  return claimSentence(claim, read === 1 ? "first read of this test set" : `read ${read} of this test set`);
}
