import { isProof, ruleLabel, verdictWords } from "../../core/verdict-words.ts";
import { existsSync } from "node:fs";
import { WhetstoneError } from "../../core/errors.ts";
import { powerNames } from "../../core/guard/power.ts";
import { compareLive, type LiveState } from "../../core/offer/compare-live.ts";
import type { FilePower } from "../../core/offer/find-file-powers.ts";
import { findUnsafeText, type UnsafeText } from "../../core/offer/find-unsafe-text.ts";
import type { Proposal } from "../../core/offer/proposal.ts";
import type { Receipt } from "../../core/offer/receipt.ts";
import type { RuleChoice } from "../../core/rules/choose-part.ts";
import { spellOut } from "../../report/spell-out.ts";
import { writeDurably } from "./file-operations.ts";
import { livePath, readLive } from "./live-skill.ts";
import { holdingLive } from "./live-target.ts";
import { type MergeText, mergeByLines, mergeLive } from "./merge-proposal.ts";
import { powersOf } from "./powers-of.ts";
import { type FinishedRun, type OpenedProposal, openOneShot, openProposal } from "./proposal.ts";
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
  recover,
  refuseInterrupted,
  settle,
  writeReceipt,
} from "./receipts.ts";
import { takeRules } from "./take-rules.ts";

export interface AdoptRunOptions extends StoreOptions {
  /** Adopts what no sealed test has shown to be better. @default false */
  readonly unproven?: boolean;
  /** Ids of new powers that the person has seen and means; there is no word for all of them. @default none */
  readonly acknowledge?: readonly string[];
  /** Merges into live files that changed since, line by line or in a way of its own; unproven from then on. @default false */
  readonly merge?: boolean | MergeText;
  /** SHA-256 of the main file's bytes as the person was shown them; no others are written. */
  readonly shown?: string;
  /** Checks all that adopting checks, and changes no live file. @default false */
  readonly check?: boolean;
  /** Takes a part of the rules; it was not sealed by itself. @default all of them */
  readonly choice?: RuleChoice;
  /** Takes the run's one-shot rewrite, unproven, instead of what it proposes. @default false */
  readonly oneShot?: boolean;
  /** The single rules of it and what is known of each, for the receipt. @default those that were measured */
  readonly rules?: Receipt["rules"];
}

/** What adopting came to; `lines` says it to a person. */
export type Adopted = { readonly lines: readonly string[] } & (
  | { readonly kind: "adopted"; readonly receipt: Receipt; readonly backup: string }
  | { readonly kind: "already-adopted" | "nothing-to-adopt" }
  /** Interrupted adoptions and undos were finished, and nothing else was done. */
  | { readonly kind: "finished"; readonly receipts: readonly Receipt[] }
  /** It was checked only, and nothing is in its way. */
  | { readonly kind: "adoptable" }
);

/**
 * Puts what a run proposes in the place of the live skill: all of it or nothing, also when the process is killed at any
 * moment, and only over the very bytes that the run was started from, unless it may merge.
 */
export async function adoptRun(run: FinishedRun, options: AdoptRunOptions = {}): Promise<Adopted> {
  const store = receiptStore(run.journalDir, options);
  const opened = openOffered(run, options);
  const { proposal, live } = opened;
  if (proposal.files.length === 0)
    return {
      kind: "nothing-to-adopt",
      lines: [`Run ${run.run} kept the original: there is nothing to adopt.`, ...sayOneShot(proposal)],
    };
  if (options.check === true) refuseInterrupted(live, run.journalDir);
  return holdingLive(run.journalDir, live, () => {
    const finished =
      options.check === true ? [] : recover(live, store).map((receipt) => describeRecovery(receipt));
    // the word for the one-shot rewrite is the word for what is unproven
    const ready = readyToAdopt(opened, opened.isOneShot ? { ...options, unproven: true } : options);
    if (ready === undefined)
      return {
        kind: "already-adopted",
        lines: [
          ...finished,
          `${live.path} already is ${opened.isOneShot ? `the one-shot rewrite of run ${run.run}` : `what run ${run.run} proposes`}.`,
        ],
      };
    if (options.check === true)
      return { kind: "adoptable", lines: [`Run ${run.run} can be adopted into ${live.path}.`] };
    const receipt = guardWrites({ live }, () => beginAdoption(ready, options, store));
    const adopted = settle(receipt, store);
    const backup = backupFolder(run.journalDir, receipt.id);
    return {
      kind: "adopted",
      receipt: adopted,
      backup,
      lines: [...finished, ...describe(adopted, ready, backup)],
    };
  });
}

/** That there is another text to adopt. */
export const sayOneShot = ({ run, oneShot }: Proposal): readonly string[] =>
  oneShot?.isOffered === true
    ? [`${oneShot.sentence} \`whetstone adopt --one-shot ${run}\` adopts it, unproven.`]
    : [];

/** What the options name of a run: its proposal, a part of it, or its one-shot rewrite. */
export function openOffered(
  run: FinishedRun,
  { oneShot = false, choice }: Pick<AdoptRunOptions, "oneShot" | "choice">,
): OpenedProposal {
  if (!oneShot) return takeRules(openProposal(run), choice);
  if (choice === undefined) return openOneShot(run);
  throw new WhetstoneError("usage", "A one-shot rewrite has no rules to choose from.", {
    hint: "Leave out --accept and --drop, or leave out --one-shot.",
  });
}

/** What may take the place of the live files as they are now, every check passed; undefined when it is there already. */
export function readyToAdopt(
  opened: OpenedProposal,
  { unproven = false, merge = false, acknowledge = [], shown }: AdoptRunOptions,
): OpenedProposal | undefined {
  const { proposal, live } = opened;
  const state = compareLive(proposal, (path) => readLive(live, path)?.hash ?? null);
  if (state.kind === "adopted") return undefined;
  if (state.kind === "changed" && merge === false) throw liveChanged(opened, state);
  const isMerged = state.kind === "changed" && merge !== false;
  const ready = isMerged ? mergeLive(opened, merge === true ? mergeByLines : merge) : opened;
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
  { rules, acknowledge = [] }: AdoptRunOptions,
  store: ReceiptStore,
): Receipt {
  const { proposal, live, proposed } = opened;
  const measured = proposal.rules?.table.rules.map((rule) => ({
    id: String(rule.rule),
    label: ruleLabel(rule),
  }));
  const acknowledged = powersOf(opened).filter(({ id }) => acknowledge.includes(id));
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
    rules: rules ?? measured,
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

function refuseUnseen({ proposal: { main, files }, live }: OpenedProposal, shown: string): void {
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
  const left = powersOf(opened).filter(({ id, rank }) => rank === "ask" && !acknowledge.includes(id));
  if (left.length === 0) return;
  throw new WhetstoneError(
    "unacknowledged",
    [
      `The proposed text has ${left.length === 1 ? "a power" : `${left.length} powers`} that the live one has not:`,
      ...left.map(describePower),
    ].join("\n"),
    {
      hint: `Nothing was changed. Read ${left.length === 1 ? "it" : "each of them"}; \`whetstone adopt ${named(opened)} --acknowledge <id>\`, once for every id that you mean, adopts it; give the other flags again, too.`,
    },
  );
}

/** One line: id, what it does, where, and the words. */
export const describePower = ({ id, kind, path, line, item }: FilePower): string =>
  `  ${id}  ${powerNames[kind]} (${path}, ${kind === "safeguard" ? "was in line" : "line"} ${line}): ${spellOut(item)}`;

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
      {
        hint: way,
      },
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
const named = ({ proposal: { run }, isOneShot }: OpenedProposal): string =>
  isOneShot ? `${run} --one-shot` : run;

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
  { proposal: { proven, verdict, reason }, whole, isOneShot }: OpenedProposal,
  backup: string,
): readonly string[] => [
  isOneShot
    ? `Adopted the one-shot rewrite of run ${run} (unproven) into ${live.path}.`
    : `Adopted ${whole === undefined ? "" : "a part of "}run ${run} (${proven ? verdictWords[verdict].word : `${verdictWords[verdict].word}, unproven`}) into ${live.path}.`,
  ...(whole === undefined && !isOneShot ? [] : [`  ${reason}`]),
  ...files.map(({ path, before, after }) => `  ${path}: ${shortHash(before)} → ${shortHash(after)}`),
  `What was there before is kept in ${backup}; \`whetstone undo ${run}\` puts it back.`,
];

export const shortHash = (hash: string | null): string => hash?.slice(0, 12) ?? "none";
