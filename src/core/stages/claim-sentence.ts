import type { ClaimVerdict, VerdictWord } from "../gate/claim-verdict.ts";
import { percent, points } from "./percent.ts";

/** What a claim found, in one sentence that says no more than that; `note` joins it. */
export function claimSentence(claim: ClaimVerdict, note = ""): string {
  const { difference, interval, p, pWorse, wins, losses, ties } = claim;
  const range = `${points(interval.low)} to ${points(interval.high)}`;
  const found = `${points(difference)} (${percent(interval.level)} interval ${range}; ${wins} won, ${losses} lost, ${ties} tied)`;
  const scope = claim.scope === "these tasks" ? " on these tasks" : "";
  const end = note === "" ? "" : `, ${note}`;
  const sentences: Readonly<Record<VerdictWord, string>> = {
    better: `Better${scope}: ${found}, p = ${p.toPrecision(2)}${end}.`,
    worse: `Worse${scope}: ${found}, p = ${pWorse.toPrecision(2)}${end}.`,
    "no-difference": `No difference worth having${scope}: ${found}${end}.`,
    underpowered: `Not proven${scope}: ${found}, p = ${p.toPrecision(2)}${end}; more tasks or trials could tell.`,
    undecided: `Undecided: ${claim.missing} results are missing and could change the answer.`,
  };
  return sentences[claim.verdict];
}
