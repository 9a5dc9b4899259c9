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
  /** New decisions on single rules; earlier ones hold. */
  readonly decisions?: Decisions;
  /** Adopts what no sealed test has shown to be better. @default false */
  readonly unproven?: boolean | undefined;
  /** New powers that the person has seen and means: ids, or the word of a kind, such as `credentials`. No word covers all of them. @default none */
  readonly acknowledge?: readonly string[] | undefined;
  /** Merges into live files that changed since; unproven from then on. @default false */
  readonly merge?: boolean | undefined;
  /** SHA-256 of the main file's bytes as the person was shown them, null where that file stays; no others are written. */
  readonly shown?: string | null | undefined;
  /** Checks all that adopting checks, and changes no file. @default false */
  readonly check?: boolean | undefined;
  /** Takes another text of the run, unproven, in place of what it proposes. */
  readonly text?: TextName | undefined;
}

/** What adopting came to; `lines` says it to a person. */
export type Adopted = {
  readonly lines: readonly string[];
  readonly chosen?: Chosen;
  /** Proposals of the same night for other files, with the same wishes. */
  readonly alsoFor?: readonly { readonly run: string; readonly file: string }[];
} & (
  | { readonly kind: "adopted"; readonly receipt: Receipt; readonly backup: string }
  | { readonly kind: "already-adopted" | "nothing-to-adopt" }
  /** Interrupted adoptions and undos were finished, and nothing else was done. */
  | { readonly kind: "finished"; readonly receipts: readonly Receipt[] }
  /** It was checked only, and nothing is in its way. */
  | { readonly kind: "adoptable" }
);

/**
 * Puts what a training, a pruning or a night proposes in the place of the live files, or what a person chose of it: all of that
 * or nothing, also when the process is killed at any moment, and only over the bytes that the proposal was made from, unless it
 * may merge.
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
          `Run ${run.run} kept the original: there is nothing to adopt.`,
          ...sayOthers(opened.proposal),
        ],
      };
    const isClaiming = !isJudgedAlone(review) || chosen?.proven === true;
    const asked = {
      ...options,
      // who names another text means what is unproven; stated and edited rules claim nothing
      unproven: unproven || opened.other !== undefined || !isClaiming,
      mergeText: mergerOf(chosen),
    };
    // what is refused keeps no decision either
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
    `${live.path} already has what you took of ${id}. \`whetstone undo ${id}\` takes it back.`,
  ],
});

/** Learned rules go into the block as it is now; everything else is merged line by line. */
export const mergerOf = (chosen: Chosen | undefined): MergeText =>
  chosen?.rules.some(({ edit }) => edit.kind === "learned") === true
    ? ({ live }) => mergeRules(live, chosen.rules)
    : mergeByLines;

const leftOutLines = ({ rules, leftOut }: Chosen): readonly string[] =>
  leftOut.length === 0
    ? []
    : [`${rules.length} of ${rules.length + leftOut.length} taken, ${leftOutText(leftOut)}.`];

const ruleLines = ({ rules }: Chosen): readonly string[] =>
  rules.map((rule) => `  rule ${shortId(rule)}: ${rule.label}`);

/** Names the other files that wait for the wishes that were taken. */
export const alsoForLines = ({ alsoFor = [] }: Adopted): readonly string[] =>
  alsoFor.map(({ run, file }) => `The same waits for ${file}: \`whetstone adopt ${run}\`.`);

/** The other texts that can be adopted. */
export const sayOthers = ({ run, others = {} }: Proposal): readonly string[] =>
  Object.entries(others).flatMap(([name, { isOffered, sentence }]) =>
    isOffered ? [`${sentence} \`whetstone adopt --${name} ${run}\` adopts it, unproven.`] : [],
  );

/** What may take the place of the live files as they are now, every check passed; undefined when it is there already. */
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

/** Keeps the old and the new bytes, and then the word that they are about to change places. */
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

/** One line: where, and what nobody would see. */
export const describeUnsafe = ({ path, line, what }: UnsafeText & { readonly path: string }): string =>
  `${path}, line ${line}: ${spellOut(what)}`;

function refuseUnseen({ proposal: { main, files }, live }: OpenedProposal, shown: string | null): void {
  const { proposed = null } = files.find(({ path }) => path === main) ?? {};
  if (proposed === shown) return;
  throw new WhetstoneError(
    "live-changed",
    `What would be written into ${livePath(live, main)} is no longer what you were shown: ${shortHash(proposed)} instead of ${shortHash(shown)}.`,
    { hint: "Nothing was changed. Look at the change as it is now, and adopt that." },
  );
}

function refuseUnsafeText(opened: OpenedProposal): void {
  const found = findUnsafeFiles(opened);
  const [first] = found;
  if (first === undefined) return;
  const more = found.length > 1 ? ` and ${found.length - 1} more` : "";
  throw new WhetstoneError(
    "hidden-text",
    `The proposed ${first.path} holds, in line ${first.line}, ${spellOut(first.what)}${more}.`,
    {
      hint: `Nothing was changed. \`whetstone diff ${named(opened)}\` shows all of it; take over by hand what you want.`,
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
      hint: `Nothing was changed. Read ${left.length === 1 ? "it" : "each of them"}; \`whetstone adopt ${named(opened)} --acknowledge ${words.length === 1 ? words[0] : "<word>"}\`${words.length === 1 ? "" : `, once for every word that you mean (${words.join(", ")})`}, adopts it; give the other flags again, too.`,
    },
  );
}

/** One line: the word that acknowledges it, what it does, where, and the words. */
export const describePower = ({ kind, path, line, item }: FilePower): string =>
  `  ${powerWords[kind]}: ${powerNames[kind]} (${path}, ${kind === "safeguard" ? "was in line" : "line"} ${line}): ${spellOut(item)}`;

function refuseUnproven(
  { run, proven, verdict, reason }: Proposal,
  moved: readonly string[],
  acknowledge: readonly string[],
): void {
  const given = acknowledge.map((id) => ` --acknowledge ${id}`).join("");
  const way = `\`whetstone diff ${run}\` shows it; \`whetstone adopt ${run} --unproven${given}\` adopts it all the same.`;
  if (!proven) {
    throw new WhetstoneError(
      "unproven",
      isProof(verdict)
        ? `Run ${run} has not been shown to keep its objective: ${reason}`
        : `Run ${run} has not been shown to be better (${verdictWords[verdict].word}): ${reason}`,
      { hint: way },
    );
  }
  if (moved.length === 0) return;
  throw new WhetstoneError(
    "unproven",
    `${moved.join(", ")} changed since run ${run} began, so its verdict is about another skill.`,
    { hint: `Put back what was there, or train again. ${way}` },
  );
}

/** The words by which commands take it. */
const named = ({ proposal: { run }, other }: OpenedProposal): string =>
  other === undefined ? run : `${run} --${other}`;

function liveChanged(
  opened: OpenedProposal,
  { files }: Extract<LiveState, { readonly kind: "changed" }>,
): WhetstoneError {
  const { proposal, live } = opened;
  const changes = files.map(({ path, what }) => `${livePath(live, path)} ${what}`).join("; ");
  return new WhetstoneError("live-changed", `Since run ${proposal.run} began: ${changes}.`, {
    hint: `Nothing was changed. \`whetstone adopt ${named(opened)} --merge\` brings both together, unproven, and stops where they contradict; or put back what was there (\`whetstone undo\`, if it was adopted) and adopt again, or train from the skill as it is now.`,
  });
}

/** Finishes what was interrupted, on any skill of the journal; begins nothing. */
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

/** What finishing an interrupted command came to. */
export const describeRecovery = ({ phase, run, live }: Receipt, when = " first"): string =>
  `An interrupted ${phase === "adopted" ? "adopt" : "undo"} of run ${run} on ${live.path} was finished${when}.`;

const describe = (
  { run, live, files }: Receipt,
  { proposal: { proven, verdict, reason }, whole, other }: OpenedProposal,
  backup: string,
): readonly string[] => [
  other !== undefined
    ? `Adopted the ${otherWords[other]} of run ${run} (unproven) into ${live.path}.`
    : `Adopted ${whole === undefined ? "" : "a part of "}run ${run} (${proven ? verdictWords[verdict].word : `${verdictWords[verdict].word}, unproven`}) into ${live.path}.`,
  ...(whole === undefined && other === undefined ? [] : [`  ${reason}`]),
  ...files.map(({ path, before, after }) => `  ${path}: ${shortHash(before)} → ${shortHash(after)}`),
  `What was there before is kept in ${backup}; \`whetstone undo ${run}\` puts it back.`,
];

export const shortHash = (hash: string | null): string => hash?.slice(0, 12) ?? "none";
