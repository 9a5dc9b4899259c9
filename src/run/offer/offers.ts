import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { holdProcessLock } from "../../adapters/journals/process-lock.ts";
import { makeFolder } from "../../adapters/make-folder.ts";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { makePower } from "../../core/guard/power.ts";
import { powersFound } from "../../core/offer/looked-at.ts";
import type { Receipt } from "../../core/offer/receipt.ts";
import {
  type Review,
  parseReview,
  waitingOnce,
  waitingRules,
  withoutWords,
} from "../../core/offer/review.ts";
import { ruleText } from "../../core/rules/learned/learned-block.ts";
import { writtenWords } from "../../core/rules/rule-words.ts";
import type { Decision, Rule } from "../../core/rules/rule.ts";
import { isRejecting, listDecided, readDecided } from "./decided.ts";
import { readIfThere, readTarget, targetPath } from "./live-skill.ts";
import { type FinishedRun, openProposal } from "./proposal.ts";
import { receiptOf } from "./receipts.ts";

/** A night's proposal as a finished run, so that diff, adopt and undo treat it like a training. */
export const nightRun = (journalDir: string, id: string): FinishedRun => ({
  run: id,
  folder: join(journalDir, "proposals", id),
  journalDir,
});

/** Every proposal of every night, oldest first, in its current state. */
export function listProposals(journalDir: string): readonly Review[] {
  const all = readStagedNights(journalDir);
  const rejected = rejectedWords(journalDir);
  return all.map((review) => asThingsAre(review, nightRun(journalDir, review.id), all, rejected));
}

/** Those with a rule that is neither in a file nor turned down, oldest first. */
export const listWaiting = (journalDir: string): readonly Review[] =>
  listProposals(journalDir).filter((review) => waitingRules(review).length > 0);

/** A proposal of a training, a pruning or a night, rule by rule, with a person's decisions. */
export function openReview(run: FinishedRun): Review {
  const staged = readStaged(run);
  const all = staged.night === undefined ? [] : readStagedNights(run.journalDir);
  return asThingsAre(staged, run, all, rejectedWords(run.journalDir));
}

/** The proposals of nights, without reading them. */
export function listNightRuns(journalDir: string): readonly FinishedRun[] {
  const folder = join(journalDir, "proposals");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^[\w-]+$/.test(name))
    .map((id) => nightRun(journalDir, id));
}

function readStagedNights(journalDir: string): readonly Review[] {
  return listNightRuns(journalDir)
    .map(readStaged)
    .toSorted((a, b) => (a.stagedAt ?? 0) - (b.stagedAt ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The review as it was made: nights keep one, and a run's is built from its proposal. */
function readStaged(run: FinishedRun): Review {
  const path = reviewPath(run);
  const text = readIfThere(path)?.toString();
  if (text === undefined) return reviewOfRun(run);
  const review = parseReview(text);
  if (typeof review !== "string" && review.id === run.run) return review;
  throw new WhetstoneError(
    "proposal-damaged",
    `${path} can't be read: ${typeof review === "string" ? review : `it belongs to ${review.id}`}`,
    {
      hint: "Move its folder away to continue without it; the next night proposes again what it still knows.",
    },
  );
}

function reviewOfRun(run: FinishedRun): Review {
  const { proposal, live } = openProposal(run);
  return {
    v: 1,
    id: run.run,
    document: { id: `run:${live.path}`, kind: "skill", scope: "project", name: proposal.main },
    gate: "on",
    rules: proposal.rules ?? [],
    rejected: [],
    state: "staged",
  };
}

export const writeReview = (run: FinishedRun, review: Review): Promise<void> =>
  writeFileAtomic(reviewPath(run), `${JSON.stringify(review, null, 2)}\n`, { isPrivate: true });

const reviewPath = ({ folder }: FinishedRun): string => join(folder, "review.json");

/** Receipts and newer proposals take precedence over a person's decisions, and those over the staged state. */
function asThingsAre(
  staged: Review,
  { run, journalDir }: FinishedRun,
  all: readonly Review[],
  rejections: readonly RejectedWords[],
): Review {
  const { rules: said, at, rejected } = readDecided(journalDir, run);
  const receipt = liveReceipt(journalDir, run);
  const taken = receipt?.rules?.map(({ id }) => id) ?? [];
  const { path } = readTarget(journalDir, run);
  const before = rejections.filter((one) => one.proposal !== run && one.path === path);
  const rules = staged.rules.map(
    (rule): Rule => ({
      ...withAsked(rule, said[rule.id]),
      ...decisionOn(rule, said[rule.id] ?? saidElsewhere(rule, staged, all, journalDir), before),
      ...(taken.includes(rule.id) ? { receipt: receipt?.id } : {}),
    }),
  );
  const review: Review = { ...staged, rules, decidedAt: receipt?.at ?? at };
  if (receipt !== undefined) return { ...review, state: "adopted" };
  if (rejected !== undefined) return { ...review, state: "rejected", reason: rejected };
  const newer = all.findLast(({ document }) => document.id === staged.document.id);
  if (newer === undefined || newer.id === staged.id) return review;
  const reason = `Night ${newer.night} proposed ${newer.id} for the same document.`;
  return { ...review, state: "superseded", reason };
}

/** Adds the powers a model found in its words. Words that no model has checked, such as a person's own, need the person. */
function withAsked(rule: Rule, said: Decision | undefined): Rule {
  const isEdited = said?.deed === "edit";
  const words = isEdited ? said.text : writtenWords(rule.edit);
  if (words === undefined) return rule;
  const { looked, powers } = rule;
  const asked =
    looked === undefined || isEdited
      ? [makePower("not-looked-at", words, { line: 1 })]
      : powersFound(looked, powers);
  return { ...rule, powers: [...powers, ...asked] };
}

/** A rejection is permanent: it also covers the same words for the same file in other proposals, until accepted there. */
function decisionOn(
  { text }: Rule,
  said: Decision | undefined,
  before: readonly RejectedWords[],
): Pick<Rule, "decision"> {
  const reason = before.find((one) => one.words === ruleText(text))?.reason;
  const decision = said ?? (reason === undefined ? undefined : { deed: "reject" as const, reason });
  return decision === undefined ? {} : { decision };
}

/** The person's decision on the same wish, if the same night proposes it for another file. It covers all of them. */
function saidElsewhere(
  { wish, edit }: Rule,
  staged: Review,
  all: readonly Review[],
  journalDir: string,
): Decision | undefined {
  if (wish === undefined) return undefined;
  for (const other of all) {
    const twin = other.rules.find((rule) => rule.wish?.id === wish.id);
    if (other.id === staged.id || other.night !== staged.night || twin === undefined) continue;
    const said = readDecided(journalDir, other.id).rules[twin.id];
    const isTaken = liveReceipt(journalDir, other.id)?.rules?.some(({ id }) => id === twin.id) === true;
    const isFit = said?.deed !== "edit" || writtenWords(edit) !== undefined;
    const decision = said !== undefined && isFit ? said : isTaken ? accepted : undefined;
    if (decision !== undefined) return decision;
  }
  return undefined;
}

const accepted: Decision = { deed: "accept" };

/** Waiting proposals of the same night with a wish that was taken here. */
export function waitingTwins({ journalDir }: FinishedRun, { id, night }: Review, taken: readonly Rule[]) {
  const wishes = new Set(taken.flatMap(({ wish }) => (wish === undefined ? [] : [wish.id])));
  return listWaiting(journalDir).filter(
    (one) =>
      night !== undefined &&
      one.night === night &&
      one.id !== id &&
      waitingRules(one).some(({ wish }) => wishes.has(wish?.id ?? "")),
  );
}

interface RejectedWords {
  readonly proposal: string;
  /** The file that they were for. */
  readonly path: string;
  readonly words: string;
  readonly reason: string;
}

/** All words that a person rejected, in any proposal that still exists. */
const rejectedWords = (journalDir: string): readonly RejectedWords[] =>
  listDecided(journalDir).flatMap((proposal) => {
    const decided = readDecided(journalDir, proposal);
    const { rules, rejected } = decided;
    if (!isRejecting(decided) || !existsSync(targetPath(journalDir, proposal))) return [];
    const { path } = readTarget(journalDir, proposal);
    return readIfStaged(journalDir, proposal).flatMap(({ id, text }) => {
      const decision = rules[id];
      const reason = decision?.deed === "reject" ? decision.reason : rejected;
      return reason === undefined ? [] : [{ proposal, path, words: ruleText(text), reason }];
    });
  });

function readIfStaged(journalDir: string, id: string): readonly Rule[] {
  const night = nightRun(journalDir, id);
  const run = existsSync(night.folder) ? night : { ...night, folder: join(journalDir, "runs", id) };
  return existsSync(run.folder) ? readStaged(run).rules : [];
}

/** The receipt of the adoption in force, if there is one. */
export function liveReceipt(journalDir: string, id: string): Receipt | undefined {
  const last = receiptOf(id, readTarget(journalDir, id), journalDir);
  return last?.phase === "adopted" || last?.phase === "undoing" ? last : undefined;
}

/** A rule that a person never wants again. */
export interface Rejection {
  readonly proposal: string;
  readonly document: string;
  readonly rule: Rule;
  readonly reason: string;
}

export const readRejections = (reviews: readonly Review[]): readonly Rejection[] =>
  reviews.flatMap(({ id, document, rules, state, reason = "" }) =>
    rules.flatMap((rule) => {
      const { decision } = rule;
      const why = decision?.deed === "reject" ? decision.reason : state === "rejected" ? reason : undefined;
      return why === undefined ? [] : [{ proposal: id, document: document.id, rule, reason: why }];
    }),
  );

/** Forgets words from conversations; the proposal and its decisions stay. */
export const forgetWords = (journalDir: string, id: string): Promise<void> => {
  const run = nightRun(journalDir, id);
  return holdingProposal(run, async () => {
    const stored = readStaged(run);
    const bare = withoutWords(stored);
    if (isDeepStrictEqual(bare, stored)) return;
    await writeReview(run, bare);
  });
};

/** Runs the body as the only process that decides on this proposal. */
export async function holdingProposal<T>(
  { run, journalDir }: FinishedRun,
  body: () => Promise<T>,
): Promise<T> {
  const locks = join(journalDir, "locks");
  makeFolder(locks, 0o700);
  const lock = holdProcessLock(join(locks, `proposal-${hashText(run).slice(0, 12)}.db`), 0);
  if (lock === undefined) {
    throw new WhetstoneError("live-locked", `Another process is deciding on proposal ${run}.`, {
      hint: "Run the command again when that process has ended; its lock ends with it.",
    });
  }
  try {
    const done = await body();
    await noteWaiting(journalDir);
    return done;
  } finally {
    lock.release();
  }
}

/** Notes how much is waiting, so that a plugin needn't read proposals. Only nights have such a folder. */
export async function noteWaiting(journalDir: string): Promise<void> {
  if (!existsSync(join(journalDir, "sleep"))) return;
  const rules = waitingOnce(listWaiting(journalDir));
  const working = rules.filter(({ status, works }) => works || status === "proven").length;
  const note = { v: 1, rules: rules.length, working };
  await writeFileAtomic(join(journalDir, "sleep", "waiting.json"), `${JSON.stringify(note)}\n`, {
    isPrivate: true,
  });
}
