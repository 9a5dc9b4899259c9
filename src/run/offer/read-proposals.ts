import { WhetstoneError } from "../../core/errors.ts";
import { encodeFile } from "../../core/files.ts";
import { compareLive } from "../../core/offer/compare-live.ts";
import { mergeRules } from "../../core/offer/compose-proposal.ts";
import { editedText } from "../../core/offer/make-review.ts";
import type { Receipt } from "../../core/offer/receipt.ts";
import {
  type Chosen,
  type Decision,
  type Decisions,
  type Review,
  decide,
  waitingRules,
} from "../../core/offer/review.ts";
import {
  type NightChange,
  type NightProposal,
  type NightProposalReport,
  reportVersion,
} from "../../report/model.ts";
import { describeUnsafe, findUnsafeFiles } from "./adopt.ts";
import { livePath, readIfThere, readLive } from "./live-skill.ts";
import { mergeLive } from "./merge-proposal.ts";
import { newPowers } from "./powers-of.ts";
import { openProposal } from "./proposal.ts";
import { backupPath } from "./receipts.ts";
import { composeChoice, isUnproven } from "./adopt-proposal.ts";
import { liveReceipt, nightRun, withText } from "./proposal-folder.ts";
import { listProposals } from "./offers.ts";

/** Every proposal of every night in short, the newest first. */
export const readNightProposals = (journalDir: string): readonly NightProposal[] =>
  listProposals(journalDir)
    .map((review) => summarize(review, liveFile(journalDir, review.id)))
    .toReversed();

function summarize(review: Review, live: string): NightProposal {
  const waiting = waitingRules(review);
  const shown = waiting.length > 0 ? waiting : review.rules;
  return {
    v: reportVersion,
    id: review.id,
    night: review.night,
    stagedAt: review.stagedAt,
    document: review.document,
    live,
    gate: review.gate,
    rules: shown.map(({ id, edit, label }) => ({ id, text: editedText(edit), label })),
    waiting: waiting.length,
    state: review.state,
    reason: review.reason,
  };
}

/** One proposal, with what adopting would do now. Nothing is written. */
export function readNightProposal(journalDir: string, id: string): NightProposalReport {
  // looked up among those that are there: what somebody asks for never becomes a path
  const review = listProposals(journalDir).find((one) => one.id === id);
  if (review === undefined) {
    throw new WhetstoneError("not-found", `There is no proposal "${id}".`, {
      hint: "`whetstone sleep review` shows what is there.",
    });
  }
  const chosen = chosenOf(review);
  const receipt = review.state === "adopted" ? liveReceipt(journalDir, id) : undefined;
  const change =
    receipt !== undefined
      ? writtenChange(journalDir, receipt)
      : review.state === "staged" && chosen.rules.length > 0
        ? proposedChange(journalDir, id, chosen)
        : undefined;
  return {
    v: reportVersion,
    review,
    live: liveFile(journalDir, id),
    decisions: decisionsOf(review, chosen),
    change,
  };
}

function liveFile(journalDir: string, id: string): string {
  const { proposal, live } = openProposal(nightRun(journalDir, id));
  return livePath(live, proposal.main);
}

/** Who rejected all of it has decided on nothing else. */
const chosenOf = (review: Review): Chosen =>
  review.state === "rejected"
    ? { rules: [], proven: false, typed: [], leftOut: [], sentence: "" }
    : decide(review, review.decisions ?? {});

function decisionsOf({ state, rules, decisions = {} }: Review, chosen: Chosen): Decisions {
  const taken = new Set(chosen.rules.map(({ id }) => id));
  const known = rules.flatMap(({ id }): readonly (readonly [string, Decision])[] => {
    const said = state === "rejected" ? undefined : decisions[id];
    return said !== undefined ? [[id, said]] : taken.has(id) ? [[id, { deed: "accept" }]] : [];
  });
  return Object.fromEntries(known);
}

/** Made by the same steps as adopting it; that checks the hash once more. */
function proposedChange(journalDir: string, id: string, chosen: Chosen): NightChange {
  const run = nightRun(journalDir, id);
  try {
    const opened = withText(run, composeChoice(run, chosen), chosen);
    const state = compareLive(opened.proposal, (path) => readLive(opened.live, path)?.hash ?? null);
    if (state.kind === "adopted") return { kind: "none" };
    const merged = state.kind === "changed";
    const ready = merged ? mergeLive(opened, ({ live }) => mergeRules(live, chosen.rules)) : opened;
    const [file] = ready.proposal.files;
    if (file === undefined) return { kind: "none" };
    return {
      kind: "ready",
      sentence: chosen.sentence,
      rules: chosen.rules.map(({ id: rule, label }) => ({ id: rule, label })),
      unproven: chosen.rules.some(isUnproven),
      merged,
      powers: newPowers(ready),
      unsafe: findUnsafeFiles(ready).map(describeUnsafe),
      before: shown(ready.original(file.path)),
      after: shown(ready.proposed(file.path)),
      hashes: { before: file.live, after: file.proposed },
    };
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    const { message, hint } = error;
    return { kind: "refused", message, hint };
  }
}

function writtenChange(journalDir: string, receipt: Receipt): NightChange | undefined {
  const [file] = receipt.files;
  if (file === undefined) return undefined;
  const { path, before, after } = file;
  const read = (side: "before" | "after") =>
    shown(readIfThere(backupPath(journalDir, receipt, side, path)) ?? null);
  return { kind: "written", before: read("before"), after: read("after"), hashes: { before, after } };
}

const shown = (bytes: Buffer | null): string => (bytes === null ? "" : encodeFile(bytes));
