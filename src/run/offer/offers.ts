import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.ts";
import { hashJson } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { asJson } from "../../core/json.ts";
import { composeProposal } from "../../core/offer/compose-proposal.ts";
import { type ReviewInput, editedText, makeReview } from "../../core/offer/make-review.ts";
import {
  type Chosen,
  type Decisions,
  type Review,
  decide,
  findRule,
  waitingRules,
} from "../../core/offer/review.ts";
import { mainText, withMainText } from "../../core/skill/skill.ts";
import type { RuleEdit } from "../../core/rules/learned/rule.ts";
import { writeArtifacts } from "../reports/artifacts.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { locateFile } from "./live-skill.ts";
import { writeLiveTarget } from "./live-target.ts";
import type { StoreOptions } from "./receipts.ts";
import { type Undone, undoRun } from "./undo.ts";
import {
  holdingProposal,
  nightRun,
  proposalFiles,
  readReview,
  readReviews,
  withState,
  writeReview,
} from "./proposal-folder.ts";

export interface StageInput extends Omit<ReviewInput, "id" | "stagedAt"> {
  readonly journalDir: string;
  /** Milliseconds since the epoch. @default the clock */
  readonly now?: () => number;
}

/**
 * Puts what a night proposes for one document before the person; nothing live changes. The same night again finds its
 * proposal as it is. Undefined when no rule is left to choose from.
 */
export async function stageProposal({
  journalDir,
  now = Date.now,
  ...input
}: StageInput): Promise<Review | undefined> {
  const { document } = input;
  const found = makeReview({ ...input, id: proposalId(input), stagedAt: now() });
  const { review, text, chosen } = withoutMisfits(found, mainText(document.skill));
  if (review.rules.length === 0) return undefined;
  const { folder } = nightRun(journalDir, review.id);
  if (!existsSync(folder)) {
    const isThere = existsSync(document.path) || mainText(document.skill) !== "";
    const original = isThere ? document.skill : { main: document.skill.main, files: {} };
    const best = withMainText(document.skill, text);
    await writeLiveTarget(review.id, locateFile(document.path), journalDir);
    makeFolder(join(journalDir, "proposals"), 0o700);
    // whoever looks meanwhile sees the whole proposal or none
    const draft = join(journalDir, "proposals", `.${review.id}`);
    await rm(draft, { recursive: true, force: true });
    await writeArtifacts(draft, proposalFiles(review.id, original, best, chosen));
    await writeFileAtomic(join(draft, "review.json"), `${JSON.stringify(review, null, 2)}\n`, {
      isPrivate: true,
    });
    await rename(draft, folder);
  }
  return openReview(journalDir, review.id);
}

const proposalId = ({ night, document, rules }: Omit<StageInput, "journalDir">): string => {
  const content = {
    night,
    document: document.id,
    text: mainText(document.skill),
    rules: rules.map(({ rule }) => rule),
  };
  const words = `${night}-${document.name}`.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return `${words.slice(0, 60)}-${hashJson(asJson(content)).slice(0, 6)}`;
};

/** Rules that cannot be written into the document are not offered; what remains is proposed as far as it is known to be good. */
function withoutMisfits(
  review: Review,
  text: string,
): { readonly review: Review; readonly text: string; readonly chosen: Chosen } {
  const misfits = review.rules.flatMap((rule) => {
    const [misfit] = composeProposal(text, [rule]).unmatched;
    return misfit === undefined
      ? []
      : [{ id: rule.id, text: editedText(rule.edit), reason: `It cannot be written: ${misfit.reason}.` }];
  });
  const out = new Set(misfits.map(({ id }) => id));
  const fitting: Review = {
    ...review,
    rules: review.rules.filter(({ id }) => !out.has(id)),
    rejected: [...review.rejected, ...misfits],
  };
  const known = decide(fitting, {});
  // where nothing is taken unasked, the person is shown what naming all of it would write
  const named: Decisions =
    known.rules.length > 0
      ? {}
      : Object.fromEntries(fitting.rules.map(({ id }) => [id, { deed: "accept" }] as const));
  const composed = composeProposal(text, decide(fitting, named).rules);
  // of two that exclude one another the first is shown; the person chooses
  const dropped = composed.unmatched.map(({ rule }) => [rule.id, { deed: "drop" }] as const);
  const chosen = decide(fitting, { ...named, ...Object.fromEntries(dropped) });
  return { review: fitting, text: composed.text, chosen };
}

/** Every proposal of every night, the oldest first, each as it stands now. */
export function listProposals(journalDir: string): readonly Review[] {
  const all = readReviews(journalDir);
  return all.map((review) => withState(journalDir, review, all));
}

/** Those with a rule that is neither in a file nor turned down, the oldest first. */
export const listWaiting = (journalDir: string): readonly Review[] =>
  listProposals(journalDir).filter((review) => waitingRules(review).length > 0);

export const openReview = (journalDir: string, id: string): Review =>
  withState(journalDir, readReview(journalDir, id), readReviews(journalDir));

export interface RejectOptions {
  readonly journalDir: string;
  readonly id: string;
  /** The id of one rule; all of them without it. */
  readonly rule?: string;
  readonly reason: string;
}

/** Keeps what a person does not want, and why; later nights are told. */
export async function rejectProposal({ journalDir, id, rule, reason }: RejectOptions): Promise<Review> {
  const why = reason.trim();
  if (why === "") {
    throw new WhetstoneError("usage", "A rejection needs a reason.", {
      hint: "Later nights learn from it what not to propose; a few words are enough.",
    });
  }
  const read = () => {
    if (openReview(journalDir, id).state === "adopted") {
      throw new WhetstoneError("usage", `Proposal ${id} is adopted.`, {
        hint: `\`whetstone sleep undo ${id}\` takes it back; then it can be rejected.`,
      });
    }
    const stored = readReview(journalDir, id);
    return { stored, unwanted: rule === undefined ? undefined : findRule(stored, rule) };
  };
  // first without the lock: what is refused leaves no file of it behind
  read();
  return holdingProposal(journalDir, id, async () => {
    const { stored, unwanted } = read();
    const next: Review =
      unwanted === undefined
        ? { ...stored, state: "rejected", reason: why, decidedAt: Date.now() }
        : {
            ...stored,
            decidedAt: Date.now(),
            // else a word for it that was said before would take it all the same
            decisions: { ...stored.decisions, [unwanted.id]: { deed: "drop" } },
            rules: stored.rules.map((each) => (each === unwanted ? { ...each, rejection: why } : each)),
          };
    await writeReview(journalDir, next);
    return openReview(journalDir, id);
  });
}

/** A rule that a person did not want. */
export interface Rejection {
  readonly proposal: string;
  readonly document: string;
  readonly rule: string;
  readonly edit: RuleEdit;
  readonly reason: string;
}

export const readRejections = (journalDir: string): readonly Rejection[] =>
  readReviews(journalDir).flatMap(({ id, document, rules, state, reason }) =>
    rules.flatMap(({ id: rule, edit, rejection }) => {
      const why = rejection ?? (state === "rejected" ? reason : undefined);
      return why === undefined ? [] : [{ proposal: id, document: document.id, rule, edit, reason: why }];
    }),
  );

/** Puts back the exact bytes from before a proposal was adopted. One that went onto a branch waits again: no file of it is live. */
export async function undoProposal(
  { journalDir, id }: { readonly journalDir: string; readonly id: string },
  options: StoreOptions = {},
): Promise<Undone> {
  if (readReview(journalDir, id).state !== "adopted") return undoRun(nightRun(journalDir, id), options);
  return holdingProposal(journalDir, id, async () => {
    const { reason = "", taken: _, ...stored } = readReview(journalDir, id);
    await writeReview(journalDir, { ...stored, state: "staged" });
    const lines = [
      `Proposal ${id} is not adopted any more. ${reason}`.trim(),
      "The live file never had it, and the branch stays: delete it with git if you do not want it.",
    ];
    return { kind: "undone", lines };
  });
}
