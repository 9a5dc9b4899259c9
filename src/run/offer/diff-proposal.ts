import { verdictWords } from "../../core/verdict-words.ts";
import { encodeFile, isBinary } from "../../core/files.ts";
import { plural } from "../../core/plural.ts";
import { shortId } from "../../core/rules/rule-words.ts";
import { compareLive, type LiveState } from "../../core/offer/compare-live.ts";
import type { PowerRank } from "../../core/guard/power.ts";
import type { FilePower } from "../../core/offer/find-file-powers.ts";
import { type TextName, type Proposal, asNotTested } from "../../core/offer/proposal.ts";
import type { LiveSkill } from "../../core/offer/receipt.ts";
import { type Decisions, type Review, decide, waitingRules, withDecisions } from "../../core/offer/review.ts";
import { byWorth, offeredLine } from "../../report/offered-line.ts";
import { spellOut } from "../../report/spell-out.ts";
import { unifiedDiff } from "../../report/unified-diff.ts";
import { describePower, describeUnsafe, findUnsafeFiles, sayOthers } from "./adopt.ts";
import { chosenSoFar, openChosen } from "./choose.ts";
import { readLive } from "./live-skill.ts";
import { powersOf } from "./powers-of.ts";
import { openReview } from "./offers.ts";
import { type FinishedRun, type OpenedProposal, openOther, openProposal, otherWords } from "./proposal.ts";
import { findInterrupted } from "./receipts.ts";

export interface ProposalDiff {
  readonly proposal: Proposal;
  readonly live: LiveSkill;
  readonly state: LiveState;
  /** Why adopt will refuse the text, one sentence each. */
  readonly unsafe: readonly string[];
  /** Powers that the proposed text would give an agent and the live one doesn't; those above a note need acknowledgement. */
  readonly powers: readonly FilePower[];
  /** The change from the run's original bytes, as a patch for `git apply`. */
  readonly diff: string;
  /** Everything for a person: verdict, state of the live skill, diff, hashes. */
  readonly lines: readonly string[];
}

export interface DiffOptions {
  /** Another text of the run instead of the proposed one. */
  readonly text?: TextName | undefined;
  /** Decisions on single rules. @default the adopted or chosen rules, or else those taken by default */
  readonly decisions?: Decisions | undefined;
  /** Leaves the rules out of the lines, if they are shown one by one anyway. @default false */
  readonly withoutRules?: boolean;
}

/** Shows what adopting a proposal would change. Writes nothing; an interrupted adopt or undo is reported. */
export async function diffOffer(run: FinishedRun, options: DiffOptions = {}): Promise<ProposalDiff> {
  const review = openReview(run);
  const opened = openShown(run, review, options);
  const { live, other } = opened;
  const interrupted = findInterrupted(live, run.journalDir).map(({ message, hint }) => `${message} ${hint}`);
  const { proposal } = opened;
  const state = compareLive(proposal, (path) => readLive(live, path)?.hash ?? null);
  const unsafe = findUnsafeFiles(opened).map(describeUnsafe);
  const powers = powersOf(opened);
  const diff = proposal.files
    .map(({ path }) => diffFile(path, opened.original(path), opened.proposed(path)))
    .join("");
  const lines = [
    ...interrupted,
    other !== undefined
      ? `Run ${proposal.run}, its ${otherWords[other]} (unproven). ${proposal.reason}`
      : `Run ${proposal.run}: ${verdictWords[proposal.verdict].word}${proposal.proven ? "" : " (unproven)"}. ${proposal.reason}`,
    ...(other !== undefined ? [] : describeRejections(review, options.decisions)),
    describeState(live, state, proposal),
    ...sayOthers(proposal),
    ...unsafe.map((sentence) => `Won't be adopted: ${sentence}`),
    ...listPowers("New permissions; accept them with `whetstone adopt --acknowledge <word>`:", powers, "ask"),
    ...listPowers("New permissions that need no acknowledgement:", powers, "note"),
    ...(options.withoutRules === true ? [] : describeRules(proposal)),
    ...(diff === "" ? [] : ["", ...diff.trimEnd().split("\n"), ""]),
    ...proposal.files.map(
      ({ path, op, live: before, proposed }) =>
        `${op} ${path}\n  live     ${before ?? "none"}\n  proposed ${proposed ?? "none"}`,
    ),
    ...(proposal.kept.length === 0 || proposal.files.length === 0
      ? []
      : [`Unchanged: ${proposal.kept.map(({ path }) => path).join(", ")}.`]),
  ];
  return { proposal, live, state, unsafe, powers, diff, lines };
}

/** Names the rules that a person rejected, so that nobody looks for them in the change. */
function describeRejections({ state, reason, rules }: Review, decisions: Decisions = {}): readonly string[] {
  if (state === "rejected")
    return [`You rejected this proposal, so it can't be adopted: ${spellOut(reason ?? "")}`];
  const rejected = rules.flatMap(({ id, decision }) =>
    decision?.deed === "reject" && decisions[id] === undefined ? [{ id, reason: decision.reason }] : [],
  );
  return [...Map.groupBy(rejected, (rule) => rule.reason)].map(
    ([why, own]) =>
      `Left out because you rejected the same words: ${plural(own.length, "rule")} (${own.map(shortId).join(", ")}). \`--accept <rule>\` takes one anyway. You said: ${spellOut(why)}`,
  );
}

function openShown(run: FinishedRun, review: Review, { text, decisions = {} }: DiffOptions): OpenedProposal {
  if (text !== undefined) return openOther(run, text);
  const chosen =
    Object.keys(decisions).length === 0
      ? chosenSoFar(review)
      : decide(review, withDecisions(review, decisions));
  if (chosen.rules.length > 0) return openChosen(run, review, chosen);
  const opened = openProposal(run);
  // if no rule is taken by default, show the text with all of them
  if (waitingRules(review).length > 0 && Object.keys(decisions).length === 0) return opened;
  const isTurnedDown = review.state === "staged" || review.state === "rejected";
  return isTurnedDown && review.rules.length > 0 ? emptied(opened) : opened;
}

/** The same proposal with nothing left to adopt. */
const emptied = (opened: OpenedProposal): OpenedProposal => ({
  ...opened,
  proposal: { ...asNotTested(opened.proposal, "No rule is left."), files: [], kept: [], rules: [] },
});

function listPowers(title: string, powers: readonly FilePower[], rank: PowerRank): readonly string[] {
  const some = powers.filter((power) => power.rank === rank);
  return some.length === 0 ? [] : [title, ...some.map(describePower)];
}

function describeRules({ run, rules = [] }: Proposal): readonly string[] {
  const sorted = rules.filter(({ status }) => status === "measured").toSorted(byWorth);
  if (sorted.length === 0) return [];
  return [
    `Rules by their gain on val; \`whetstone adopt ${run} --drop <rule>\` leaves one out:`,
    ...sorted.map(
      (rule) =>
        `${rule.id.padStart(4)}  ${rule.label}, ${rule.tokens} tokens: ${spellOut(offeredLine(rule, 100))}`,
    ),
  ];
}

function diffFile(path: string, before: Buffer | null, after: Buffer | null): string {
  const [old, now] = [before, after].map((bytes) => (bytes === null ? null : encodeFile(bytes)));
  if (isBinary(old ?? "") || isBinary(now ?? "")) return `Binary files a/${path} and b/${path} differ\n`;
  return unifiedDiff({ path, before: old ?? null, after: now ?? null });
}

function describeState({ path }: LiveSkill, state: LiveState, { files }: Proposal): string {
  if (files.length === 0) return `There's nothing to adopt: ${path} stays as it is.`;
  if (state.kind === "adopted") return `${path} already matches the proposal.`;
  if (state.kind === "changed")
    return `${path} has changed since the run began: ${state.files.map((file) => `${file.path} ${file.what}`).join("; ")}.`;
  return state.moved.length === 0
    ? `${path} hasn't changed since the run began.`
    : `${path} hasn't changed since the run began, except for ${state.moved.join(", ")}, which the proposal leaves alone.`;
}
