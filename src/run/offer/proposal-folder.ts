import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { makeFolder } from "../../adapters/make-folder.ts";
import { holdProcessLock } from "../../adapters/journals/process-lock.ts";
import { hashBytes, hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Proposal, makeProposal } from "../../core/offer/proposal.ts";
import type { Receipt } from "../../core/offer/receipt.ts";
import { type Chosen, type Review, parseReview, withoutWords } from "../../core/offer/review.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { type Artifacts, skillFiles } from "../reports/artifacts.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { readIfThere, readTarget } from "./live-skill.ts";
import { type FinishedRun, type OpenedProposal, openProposal } from "./proposal.ts";
import { receiptOf } from "./receipts.ts";

/** A night's proposal as a finished run: diff, adopt and undo take it as they take a training. */
export const nightRun = (journalDir: string, id: string): FinishedRun => ({
  run: id,
  folder: join(journalDir, "proposals", id),
  journalDir,
});

/** The reviews as they are kept, the oldest first. */
export function readReviews(journalDir: string): readonly Review[] {
  const folder = join(journalDir, "proposals");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^[\w-]+$/.test(name))
    .map((id) => readReview(journalDir, id))
    .toSorted((a, b) => a.stagedAt - b.stagedAt || (a.id < b.id ? -1 : 1));
}

export function readReview(journalDir: string, id: string): Review {
  const path = reviewPath(journalDir, id);
  const text = /^[\w-]+$/.test(id) ? readIfThere(path)?.toString() : undefined;
  if (text === undefined) {
    throw new WhetstoneError("not-found", `There is no proposal "${id}".`, {
      hint: "`whetstone sleep review` shows what is there.",
    });
  }
  const review = parseReview(text);
  if (typeof review !== "string" && review.id === id) return review;
  throw new WhetstoneError(
    "proposal-damaged",
    `${path} is not readable: ${typeof review === "string" ? review : `it belongs to ${review.id}`}`,
    {
      hint: "Move its folder away to go on without it; the next night proposes anew what it still knows.",
    },
  );
}

export const writeReview = (journalDir: string, review: Review): Promise<void> =>
  writeFileAtomic(reviewPath(journalDir, review.id), json(review), { isPrivate: true });

const reviewPath = (journalDir: string, id: string): string =>
  join(journalDir, "proposals", id, "review.json");

/** Where a proposal stands now: what receipts and newer proposals say goes before what was written down. */
export function withState(journalDir: string, review: Review, all: readonly Review[]): Review {
  const receipt = liveReceipt(journalDir, review.id);
  if (receipt !== undefined) {
    const { reason: _, ...rest } = review;
    return { ...rest, state: "adopted", taken: receipt.rules ?? [] };
  }
  if (review.state !== "staged") return review;
  const newer = all.findLast(({ document }) => document.id === review.document.id);
  return newer === undefined || newer.id === review.id
    ? review
    : {
        ...review,
        state: "superseded",
        reason: `Night ${newer.night} proposed ${newer.id} for the same document.`,
      };
}

/** The receipt of the adoption that holds, if one does. */
export function liveReceipt(journalDir: string, id: string): Receipt | undefined {
  const last = receiptOf(id, readTarget(journalDir, id), journalDir);
  return last?.phase === "adopted" || last?.phase === "undoing" ? last : undefined;
}

/** When a person decided on it, in milliseconds since the epoch; of an adopted one, when it was written. */
export const decidedAt = (journalDir: string, { id, decidedAt: said, stagedAt }: Review): number =>
  liveReceipt(journalDir, id)?.at ?? said ?? stagedAt;

/** The files of a proposal: laid out as those of a finished training. */
export const proposalFiles = (id: string, original: Skill, best: Skill, chosen: Chosen): Artifacts => ({
  ...skillFiles("skills/skill_v0000", original),
  ...skillFiles("best_skill", best),
  "proposal.json": json(makeProposal({ run: id, original, best, ...claimOf(chosen) })),
});

/** The text that the night found; empty where there was no file. */
export function readOriginal(run: FinishedRun): string {
  const { proposal } = openProposal(run);
  if (mainHash(proposal) === null) return "";
  const name = join(run.folder, "skills/skill_v0000");
  const text = readIfThere(`${name}.md`) ?? readIfThere(join(name, proposal.main));
  if (text !== undefined && hashBytes(text) === mainHash(proposal)) return text.toString();
  throw new WhetstoneError("proposal-damaged", `${name} is not what the night wrote.`, {
    hint: "Move the proposal's folder away; the next night proposes anew what it still knows.",
  });
}

/** The proposal as one of exactly this text; nothing is written. */
export function withText(run: FinishedRun, text: string, chosen: Chosen): OpenedProposal {
  const opened = openProposal(run);
  const { main } = opened.proposal;
  const [live, proposed] = [mainHash(opened.proposal), hashText(text)];
  const kept = opened.proposal.kept.filter(({ path }) => path !== main);
  const { sealed, reason } = claimOf(chosen);
  const ofMain = (read: () => Buffer | null) => (path: string) => (path === main ? read() : null);
  return {
    live: opened.live,
    proposal: {
      ...opened.proposal,
      verdict: sealed?.verdict ?? "not-tested",
      proven: sealed !== undefined,
      reason,
      typed: chosen.typed,
      files: live === proposed ? [] : [{ path: main, op: live === null ? "add" : "replace", live, proposed }],
      kept: live === proposed ? [...kept, { path: main, hash: proposed }] : kept,
    },
    original: ofMain(() => (live === null ? null : Buffer.from(readOriginal(run)))),
    proposed: ofMain(() => Buffer.from(text)),
  };
}

/**
 * Makes the proposal one of exactly this text. The manifest changes in one step, and the bytes that it names are there
 * before: whenever the process dies, what is read is one choice or the other.
 */
export async function composeFolder(run: FinishedRun, text: string, chosen: Chosen): Promise<void> {
  const { folder } = run;
  const { proposal } = withText(run, text, chosen);
  await writeFileAtomic(join(folder, "chosen", hashText(text)), text, { isPrivate: true });
  await writeFileAtomic(join(folder, "proposal.json"), json(proposal));
  const best = join(folder, "best_skill");
  await writeFileAtomic(existsSync(best) ? join(best, proposal.main) : `${best}.md`, text);
}

/** Forgets what was said in conversations; what was proposed and decided stays. */
export const forgetWords = (journalDir: string, id: string): Promise<void> =>
  holdingProposal(journalDir, id, async () => {
    const stored = readReview(journalDir, id);
    const bare = withoutWords(stored);
    if (isDeepStrictEqual(bare, stored)) return;
    const run = nightRun(journalDir, id);
    const proposal = { ...openProposal(run).proposal, typed: [] };
    await writeFileAtomic(join(run.folder, "proposal.json"), json(proposal));
    // last: it says whether all is done
    await writeReview(journalDir, bare);
  });

/** Of the main file as the night found it; null where there was none. */
const mainHash = ({ main, files, kept }: Proposal): string | null =>
  files.find(({ path }) => path === main)?.live ?? kept.find(({ path }) => path === main)?.hash ?? null;

const claimOf = ({ proven, sentence, typed }: Chosen) => ({
  sealed: proven ? ({ verdict: "better", sentence } as const) : undefined,
  reason: sentence,
  typed,
});

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Runs the body as the only process that decides on this proposal. */
export async function holdingProposal<T>(journalDir: string, id: string, body: () => Promise<T>): Promise<T> {
  // first: for what is not there no lock is made
  readReview(journalDir, id);
  const locks = join(journalDir, "locks");
  makeFolder(locks, 0o700);
  const lock = holdProcessLock(join(locks, `proposal-${hashText(id).slice(0, 12)}.db`), 0);
  if (lock === undefined) {
    throw new WhetstoneError("live-locked", `Another process is deciding on proposal ${id}.`, {
      hint: "Run the command again when it has ended. The lock goes with the process that holds it.",
    });
  }
  try {
    return await body();
  } finally {
    lock.release();
  }
}
