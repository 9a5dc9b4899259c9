import { WhetstoneError } from "../../core/errors.ts";
import { readableText } from "../../core/files.ts";
import { compareLive } from "../../core/offer/compare-live.ts";
import type { Receipt } from "../../core/offer/receipt.ts";
import {
  type Chosen,
  type Decisions,
  type Review,
  isUnproven,
  waitingRules,
} from "../../core/offer/review.ts";
import type { Decision } from "../../core/rules/rule.ts";
import {
  type NightProposal,
  type OfferChange,
  type OfferReport,
  type OfferedFile,
  reportVersion,
} from "../../report/model.ts";
import { describeUnsafe, findUnsafeFiles, mergerOf } from "./adopt.ts";
import { chosenSoFar, isJudgedAlone, openChosen } from "./choose.ts";
import { livePath, readIfThere, readLive } from "./live-skill.ts";
import { mergeLive } from "./merge-proposal.ts";
import { listProposals, liveReceipt, nightRun, openReview } from "./offers.ts";
import { newPowers } from "./powers-of.ts";
import { type FinishedRun, openProposal } from "./proposal.ts";
import { backupPath } from "./receipts.ts";

/** A summary of every proposal of every night, newest first. */
export const readNightProposals = (journalDir: string): readonly NightProposal[] =>
  listProposals(journalDir)
    .map((review) => summarize(review, liveFile(nightRun(journalDir, review.id))))
    .toReversed();

function summarize(review: Review, live: string): NightProposal {
  const waiting = waitingRules(review);
  const shown = waiting.length > 0 ? waiting : review.rules;
  const { rejected: _, ...head } = review;
  return {
    ...head,
    v: reportVersion,
    live,
    rules: shown.map(({ id, text, label }) => ({ id, text, label })),
    waiting: waiting.length,
  };
}

/** One proposal, with what adopting it would do now. Writes nothing. */
export function readOffer(run: FinishedRun): OfferReport {
  const review = openReview(run);
  const chosen = chosenSoFar(review);
  const receipt = review.state === "adopted" ? liveReceipt(run.journalDir, run.run) : undefined;
  const isTaken = review.state === "staged" && (chosen.rules.length > 0 || review.rules.length === 0);
  return {
    v: reportVersion,
    review,
    live: liveFile(run),
    decisions: decisionsOf(review, chosen),
    change:
      receipt !== undefined
        ? { kind: "written", files: writtenFiles(run.journalDir, receipt) }
        : isTaken
          ? proposedChange(run, review, chosen)
          : undefined,
  };
}

function liveFile(run: FinishedRun): string {
  const { proposal, live } = openProposal(run);
  return livePath(live, proposal.main);
}

/** Decisions, including default ones. If the whole proposal was rejected, no rule was decided individually. */
function decisionsOf({ state, rules }: Review, chosen: Chosen): Decisions {
  const taken = new Set(chosen.rules.map(({ id }) => id));
  const known = rules.flatMap(({ id, decision }): readonly (readonly [string, Decision])[] => {
    const said = state === "rejected" ? undefined : decision;
    return said !== undefined ? [[id, said]] : taken.has(id) ? [[id, { deed: "accept" }]] : [];
  });
  return Object.fromEntries(known);
}

/** Made by the same steps as adopting, which checks the hash once more. */
function proposedChange(run: FinishedRun, review: Review, chosen: Chosen): OfferChange {
  try {
    const opened = openChosen(run, review, chosen);
    const state = compareLive(opened.proposal, (path) => readLive(opened.live, path)?.hash ?? null);
    if (state.kind === "adopted") return { kind: "none" };
    const isAlone = isJudgedAlone(review);
    const merged = state.kind === "changed";
    const ready = merged && isAlone ? mergeLive(opened, mergerOf(chosen)) : opened;
    if (merged && !isAlone)
      return {
        kind: "refused",
        message: `Since run ${run.run} began: ${state.files.map(({ path, what }) => `${path} ${what}`).join("; ")}.`,
        hint: `Restore the earlier text, train again, or run \`whetstone adopt ${run.run} --merge\`.`,
      };
    const { files, main } = ready.proposal;
    if (files.length === 0) return { kind: "none" };
    return {
      kind: "ready",
      sentence: isAlone ? chosen.sentence : ready.proposal.reason,
      rules: chosen.rules.map(({ id, label }) => ({ id, label })),
      unproven: isAlone ? chosen.rules.some(isUnproven) : !(opened.whole ?? opened.proposal).proven,
      isPart: opened.whole !== undefined,
      merged,
      powers: newPowers(ready),
      unsafe: findUnsafeFiles(ready).map(describeUnsafe),
      files: files.map(({ path, live: before, proposed: after }) => ({
        path: livePath(ready.live, path),
        before: readableText(ready.original(path)),
        after: readableText(ready.proposed(path)),
        hashes: { before, after },
      })),
      shown: files.find(({ path }) => path === main)?.proposed ?? null,
    };
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    const { message, hint } = error;
    return { kind: "refused", message, hint };
  }
}

const writtenFiles = (journalDir: string, receipt: Receipt): readonly OfferedFile[] =>
  receipt.files.map(({ path, before, after }) => {
    const read = (side: "before" | "after") =>
      readableText(readIfThere(backupPath(journalDir, receipt, side, path)) ?? null);
    return {
      path: livePath(receipt.live, path),
      before: read("before"),
      after: read("after"),
      hashes: { before, after },
    };
  });
