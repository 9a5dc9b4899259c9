import { shortId } from "../../core/rules/rule-words.ts";
import { existsSync } from "node:fs";
import { WhetstoneError } from "../../core/errors.ts";
import { isAcknowledged, powerNames, powerWords } from "../../core/guard/power.ts";
import { compareLive, type LiveState } from "../../core/offer/compare-live.ts";
import { mergeRules } from "../../core/offer/compose-rules.ts";
import type { FilePower } from "../../core/offer/find-file-powers.ts";
import { findUnsafeText, type UnsafeText } from "../../core/offer/find-unsafe-text.ts";
import type { TextName, Proposal } from "../../core/offer/proposal.ts";
import type { LiveSkill, Receipt } from "../../core/offer/receipt.ts";
import {
  type Chosen,
  type Decisions,
  type Review,
  withDecisions,
  leftOutText,
} from "../../core/offer/review.ts";
import { isProof, verdictWords } from "../../core/verdict-words.ts";
import { spellOut } from "../../report/spell-out.ts";
import { chooseToAdopt, isJudgedAlone, keepDecisions, openChosen, openForChoice } from "./choose.ts";
import { writeDurably } from "./file-operations.ts";
import { livePath, readLive, readTarget } from "./live-skill.ts";
import { holdingLive } from "./live-target.ts";
import { type MergeText, mergeByLines, mergeLive } from "./merge-proposal.ts";
import { holdingProposal, liveReceipt, waitingTwins } from "./offers.ts";
import { powersOf } from "./powers-of.ts";
import { type FinishedRun, type OpenedProposal, openOther, openProposal, otherWords } from "./proposal.ts";
import {
  type ReceiptStore,
  type StoreOptions,
  backupFolder,
  backupPath,
  finishInterrupted,
  guardWrites,
  interruptedSkills,
  nextReceiptId,
  receiptStore,
  settle,
  writeReceipt,
} from "./receipts.ts";

export interface AdoptOfferOptions extends StoreOptions {
  /** New decisions on single rules; earlier ones stay in force. */
  readonly decisions?: Decisions;
  /** Adopts a text that no sealed test has shown to be better. @default false */
  readonly unproven?: boolean | undefined;
  /** New powers that a person has seen and wants: ids, or a kind's word, such as `credentials`; no word covers all. @default none */
  readonly acknowledge?: readonly string[] | undefined;
  /** Merges into live files that have changed since; the result is unproven. @default false */
  readonly merge?: boolean | undefined;
  /** SHA-256 of the main file's bytes as shown to the person, null if the file stays; no other bytes are written. */
  readonly shown?: string | null | undefined;
  /** Runs all checks of adopting without changing a file. @default false */
  readonly check?: boolean | undefined;
  /** Adopts another text of the run, unproven, instead of the proposed one. */
  readonly text?: TextName | undefined;
}

/** The result of adopting; `lines` is for people. */
export type Adopted = {
  readonly lines: readonly string[];
  readonly chosen?: Chosen;
  /** Proposals of the same night for other files, with the same wishes. */
  readonly alsoFor?: readonly { readonly run: string; readonly file: string }[];
} & (
  | { readonly kind: "adopted"; readonly receipt: Receipt; readonly backup: string }
  | { readonly kind: "already-adopted" | "nothing-to-adopt" }
  /** Interrupted adoptions and undos were finished; nothing else was done. */
  | { readonly kind: "finished"; readonly receipts: readonly Receipt[] }
  /** Only checked, and nothing prevents it. */
  | { readonly kind: "adoptable" }
);

/**
 * Replaces the live files with what a training, a pruning or a night proposes, or with the part that a person chose. It writes
 * all of that or nothing, even if the process is killed. Unless it may merge, it only replaces the bytes that the proposal
 * was made from.
 */
export async function adoptOffer(run: FinishedRun, options: AdoptOfferOptions = {}): Promise<Adopted> {
  const { decisions = {}, unproven = false, text, check = false, now = Date.now } = options;
  const { journalDir } = run;
  const store = receiptStore(journalDir, options);
  const live = readTarget(journalDir, run.run);
  return holdingProposal(run, async () => {
    const finished = check ? [] : finishInterrupted(live, store).map((receipt) => describeRecovery(receipt));
    const review = openForChoice(run, decisions);
    const isSaid = Object.keys(decisions).length > 0;
    if (text === undefined && !isSaid && isInPlace(review, run, live))
      return alreadyAdopted(review, live, finished);
    const chosen =
      text !== undefined || (review.rules.length === 0 && !isSaid)
        ? undefined
        : chooseToAdopt(review, decisions, unproven);
    const opened =
      text !== undefined
        ? openOther(run, text)
        : chosen === undefined
          ? openProposal(run)
          : openChosen(run, review, chosen);
    if (opened.proposal.files.length === 0)
      return {
        kind: "nothing-to-adopt",
        lines: [
          `Run ${run.run} kept the original, so there's nothing to adopt.`,
          ...sayOthers(opened.proposal),
        ],
      };
    const isClaiming = !isJudgedAlone(review) || chosen?.proven === true;
    const asked = {
      ...options,
      // naming another text accepts that it's unproven; stated and edited rules claim nothing
      unproven: unproven || opened.other !== undefined || !isClaiming,
      mergeText: mergerOf(chosen),
    };
    // a refused adoption doesn't keep its decisions either
    if (!check && (isSaid || review.state === "rejected") && readyToAdopt(opened, asked) !== undefined)
      await keepDecisions(run, withDecisions(review, decisions), now, true);
    const adopted = holdingLive(journalDir, live, () => {
      const ready = readyToAdopt(opened, asked);
      if (ready === undefined) return alreadyAdopted(review, live, finished);
      if (check)
        return { kind: "adoptable", lines: [`Run ${run.run} can be adopted into ${live.path}.`] } as const;
      const receipt = guardWrites({ live }, () => beginAdoption(ready, options, store));
      const backup = backupFolder(journalDir, receipt.id);
      const settled = settle(receipt, store);
      const lines = [...finished, ...describe(settled, ready, backup)];
      return { kind: "adopted", receipt: settled, backup, lines } as const;
    });
    if (chosen === undefined || adopted.kind !== "adopted") return adopted;
    const alsoFor = waitingTwins(run, review, chosen.rules).map((twin) => ({
      run: twin.id,
      file: twin.document.name,
    }));
    return {
      ...adopted,
      chosen,
      alsoFor,
      lines: [...leftOutLines(chosen), ...adopted.lines, ...ruleLines(chosen)],
    };
  });
}

/** Whether the bytes of an adoption are live. */
function isInPlace({ state }: Review, { run, journalDir }: FinishedRun, live: LiveSkill): boolean {
  if (state !== "adopted") return false;
  const receipt = liveReceipt(journalDir, run);
  return (
    receipt !== undefined &&
    receipt.files.every(({ path, after }) => (readLive(live, path)?.hash ?? null) === after)
  );
}

const alreadyAdopted = ({ id }: Review, live: LiveSkill, finished: readonly string[]): Adopted => ({
  kind: "already-adopted",
  lines: [
    ...finished,
    `${live.path} already has what you adopted from ${id}. \`whetstone undo ${id}\` undoes it.`,
  ],
});

/** Learned rules go into the current block; everything else is merged line by line. */
export const mergerOf = (chosen: Chosen | undefined): MergeText =>
  chosen?.rules.some(({ edit }) => edit.kind === "learned") === true
    ? ({ live }) => mergeRules(live, chosen.rules)
    : mergeByLines;

const leftOutLines = ({ rules, leftOut }: Chosen): readonly string[] =>
  leftOut.length === 0
    ? []
    : [`${rules.length} of ${rules.length + leftOut.length} rules adopted, ${leftOutText(leftOut)}.`];

const ruleLines = ({ rules }: Chosen): readonly string[] =>
  rules.map((rule) => `  rule ${shortId(rule)}: ${rule.label}`);

/** Names the other files that are waiting for the adopted wishes. */
export const alsoForLines = ({ alsoFor = [] }: Adopted): readonly string[] =>
  alsoFor.map(({ run, file }) => `The same wishes are waiting for ${file}: \`whetstone adopt ${run}\`.`);

/** The other texts that can be adopted. */
export const sayOthers = ({ run, others = {} }: Proposal): readonly string[] =>
  Object.entries(others).flatMap(([name, { isOffered, sentence }]) =>
    isOffered ? [`${sentence} \`whetstone adopt --${name} ${run}\` adopts it, unproven.`] : [],
  );

/** The text that may replace the live files, after every check; undefined if it's already there. */
function readyToAdopt(
  opened: OpenedProposal,
  {
    unproven = false,
    merge = false,
    mergeText,
    acknowledge = [],
    shown,
  }: AdoptOfferOptions & { readonly mergeText: MergeText },
): OpenedProposal | undefined {
  const { proposal, live } = opened;
  const state = compareLive(proposal, (path) => readLive(live, path)?.hash ?? null);
  if (state.kind === "adopted") return undefined;
  if (state.kind === "changed" && !merge) throw liveChanged(opened, state);
  const ready = state.kind === "changed" ? mergeLive(opened, mergeText) : opened;
  if (ready.proposal.files.length === 0) return undefined;
  if (shown !== undefined) refuseUnseen(ready, shown);
  refuseUnsafeText(ready);
  if (!unproven)
    refuseUnproven(opened.whole ?? proposal, state.kind === "ready" ? state.moved : [], acknowledge);
  refuseUnacknowledged(ready, acknowledge);
  return ready;
}

/** Saves the old and the new bytes, then a receipt that the change is about to happen. */
function beginAdoption(
  opened: OpenedProposal,
  { acknowledge = [] }: AdoptOfferOptions,
  store: ReceiptStore,
): Receipt {
  const { proposal, live, proposed } = opened;
  const acknowledged = powersOf(opened).filter((power) => isAcknowledged(power, acknowledge));
  const files = proposal.files.map((file) => ({ ...file, now: readLive(live, file.path) }));
  const receipt: Receipt = {
    v: 1,
    id: nextReceiptId(store.journalDir, live),
    run: proposal.run,
    phase: "adopting",
    at: 0,
    proven: proposal.proven,
    verdict: proposal.verdict,
    answeredBy: proposal.answeredBy,
    leftOut: proposal.leftOut,
    perRollout: proposal.perRollout,
    live,
    files: files.map(({ path, live: before, proposed: after, now }) => ({
      path,
      before,
      after,
      mode: now?.mode ?? null,
    })),
    folders: missingFolders(proposal, live),
    ...(proposal.rules && { rules: proposal.rules.map(({ id, label }) => ({ id, label })) }),
    ...(acknowledged.length === 0 ? {} : { acknowledged }),
  };
  for (const { path, now } of files) {
    const versions = { before: now?.bytes ?? null, after: proposed(path) };
    for (const side of ["before", "after"] as const) {
      const bytes = versions[side];
      if (bytes !== null)
        writeDurably(backupPath(store.journalDir, receipt, side, path), bytes, store.operations);
    }
  }
  return writeReceipt(receipt, "adopting", store);
}

function missingFolders({ files }: Proposal, live: Receipt["live"]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    const names = path.split("/").slice(0, -1);
    for (const [at] of names.entries()) folders.add(names.slice(0, at + 1).join("/"));
  }
  return [...folders].toSorted().filter((folder) => !existsSync(livePath(live, folder)));
}

/** Every unsafe place in the proposed texts, by file. */
export function findUnsafeFiles({
  proposal,
  original,
  proposed,
}: OpenedProposal): readonly (UnsafeText & { readonly path: string })[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return proposal.files.flatMap(({ path }) => {
    const bytes = proposed(path);
    if (bytes === null) return [];
    return findUnsafeText(decoder.decode(original(path) ?? undefined), decoder.decode(bytes)).map(
      (unsafe) => ({
        path,
        ...unsafe,
      }),
    );
  });
}

/** One line: the place, and the hidden text. */
export const describeUnsafe = ({ path, line, what }: UnsafeText & { readonly path: string }): string =>
  `${path}, line ${line}: ${spellOut(what)}`;

function refuseUnseen({ proposal: { main, files }, live }: OpenedProposal, shown: string | null): void {
  const { proposed = null } = files.find(({ path }) => path === main) ?? {};
  if (proposed === shown) return;
  throw new WhetstoneError(
    "live-changed",
    `The text for ${livePath(live, main)} is no longer the one you were shown: ${shortHash(proposed)} instead of ${shortHash(shown)}.`,
    { hint: "Nothing was changed. Review the change as it is now, then adopt it." },
  );
}

function refuseUnsafeText(opened: OpenedProposal): void {
  const found = findUnsafeFiles(opened);
  const [first] = found;
  if (first === undefined) return;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : "";
  throw new WhetstoneError(
    "hidden-text",
    `Line ${first.line} of the proposed ${first.path} contains ${spellOut(first.what)}${more}.`,
    {
      hint: `Nothing was changed. \`whetstone diff ${named(opened)}\` shows all of it; copy the parts you want by hand.`,
    },
  );
}

function refuseUnacknowledged(opened: OpenedProposal, acknowledge: readonly string[]): void {
  const left = powersOf(opened).filter(
    (power) => power.rank === "ask" && !isAcknowledged(power, acknowledge),
  );
  if (left.length === 0) return;
  const words = [...new Set(left.map(({ kind }) => powerWords[kind]))];
  throw new WhetstoneError(
    "unacknowledged",
    [
      `The new text asks for ${left.length === 1 ? "a permission" : `${left.length} permissions`} that the current one doesn't have:`,
      ...left.map(describePower),
    ].join("\n"),
    {
      hint: `Nothing was changed. Read ${left.length === 1 ? "it" : "each of them"}, then run \`whetstone adopt ${named(opened)} --acknowledge ${words.length === 1 ? words[0] : "<word>"}\`${words.length === 1 ? "" : `, with one --acknowledge for every word that you accept (${words.join(", ")})`}; repeat your other flags, too.`,
    },
  );
}

/** One line: the word that acknowledges it, what it allows, the place, and the text. */
export const describePower = ({ kind, path, line, item }: FilePower): string =>
  `  ${powerWords[kind]}: ${powerNames[kind]} (${path}, ${kind === "safeguard" ? "was in line" : "line"} ${line}): ${spellOut(item)}`;

function refuseUnproven(
  { run, proven, verdict, reason }: Proposal,
  moved: readonly string[],
  acknowledge: readonly string[],
): void {
  const given = acknowledge.map((id) => ` --acknowledge ${id}`).join("");
  const way = `\`whetstone diff ${run}\` shows it; \`whetstone adopt ${run} --unproven${given}\` adopts it anyway.`;
  if (!proven) {
    throw new WhetstoneError(
      "unproven",
      isProof(verdict)
        ? `Run ${run} hasn't been shown to keep its objective: ${reason}`
        : `Run ${run} hasn't been shown to be better (${verdictWords[verdict].word}): ${reason}`,
      { hint: way },
    );
  }
  if (moved.length === 0) return;
  throw new WhetstoneError(
    "unproven",
    `${moved.join(", ")} changed since run ${run} began, so its verdict is about a different skill.`,
    { hint: `Restore the earlier text, or train again. ${way}` },
  );
}

/** The arguments that name it in commands. */
const named = ({ proposal: { run }, other }: OpenedProposal): string =>
  other === undefined ? run : `${run} --${other}`;

function liveChanged(
  opened: OpenedProposal,
  { files }: Extract<LiveState, { readonly kind: "changed" }>,
): WhetstoneError {
  const { proposal, live } = opened;
  const changes = files.map(({ path, what }) => `${livePath(live, path)} ${what}`).join("; ");
  return new WhetstoneError("live-changed", `Since run ${proposal.run} began: ${changes}.`, {
    hint: `Nothing was changed. \`whetstone adopt ${named(opened)} --merge\` merges both, unproven, and stops at conflicts. Or restore the earlier text (with \`whetstone undo\`, if it was adopted) and adopt again, or train the skill as it is now.`,
  });
}

/** Finishes interrupted changes on any skill of the journal, and starts nothing new. */
export function finishAll(journalDir: string, options: StoreOptions = {}): Adopted {
  const store = receiptStore(journalDir, options);
  const receipts = interruptedSkills(journalDir).flatMap((live) => finishInterrupted(live, store));
  const lines = receipts.map((receipt) => describeRecovery(receipt, ""));
  return {
    kind: "finished",
    receipts,
    lines: lines.length === 0 ? ["No adopt or undo was interrupted."] : lines,
  };
}

/** The result of finishing an interrupted command. */
export const describeRecovery = ({ phase, run, live }: Receipt, when = " first"): string =>
  `An interrupted ${phase === "adopted" ? "adopt" : "undo"} of run ${run} on ${live.path} was finished${when}.`;

const describe = (
  { run, live, files }: Receipt,
  { proposal: { proven, verdict, reason }, whole, other }: OpenedProposal,
  backup: string,
): readonly string[] => [
  other !== undefined
    ? `Adopted the ${otherWords[other]} of run ${run} (unproven) into ${live.path}.`
    : `Adopted ${whole === undefined ? "" : "part of "}run ${run} (${proven ? verdictWords[verdict].word : `${verdictWords[verdict].word}, unproven`}) into ${live.path}.`,
  ...(whole === undefined && other === undefined ? [] : [`  ${reason}`]),
  ...files.map(({ path, before, after }) => `  ${path}: ${shortHash(before)} → ${shortHash(after)}`),
  `The earlier text is kept in ${backup}; \`whetstone undo ${run}\` restores it.`,
];

export const shortHash = (hash: string | null): string => hash?.slice(0, 12) ?? "none";
