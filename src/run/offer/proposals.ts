import { existsSync } from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import type { TextName } from "../../core/offer/proposal.ts";
import type { Decisions, Review } from "../../core/offer/review.ts";
import { type ProjectOptions, projectPlace } from "../project-options.ts";
import { listRuns, recordFolder } from "../reports/runs.ts";
import { openIfThere } from "../session/open-if-there.ts";
import { requireWord } from "../word.ts";
import { type Adopted, adoptOffer, finishAll } from "./adopt.ts";
import { type RuleChoices, chooseRules, readChoices } from "./choose.ts";
import { type ProposalDiff, diffOffer } from "./diff-proposal.ts";
import { readTarget } from "./live-skill.ts";
import { listNightRuns, listWaiting, nightRun, openReview } from "./offers.ts";
import { type FinishedRun, otherWords } from "./proposal.ts";
import { receiptOf } from "./receipts.ts";
import { type Undone, undoOffer } from "./undo.ts";

/** The proposal to use. */
export interface ProposalOptions extends ProjectOptions {
  /** The beginning of the id of a training, a pruning or a night's proposal. @default the latest training or pruning that fits */
  readonly run?: string;
}

/** The text of a run to use. */
export interface TextChoice {
  /**
   * A text other than the proposed one, always unproven. The one-shot rewrite is offered if it passed more test tasks. The `lean`
   * text has only rules shown to help, and the `full` text has the best expectation; one of the two is proposed.
   */
  readonly text?: TextName | undefined;
}

export interface AdoptOptions extends ProposalOptions, RuleChoices, TextChoice {
  /** Adopts a text that no sealed test has shown to be better. @default false */
  readonly unproven?: boolean;
  /** Merges into live files that have changed since; the result is unproven. @default false */
  readonly merge?: boolean;
  /** New powers that a person has seen and wants: ids, or a kind's word, such as `credentials`; no word covers all. @default none */
  readonly acknowledge?: readonly string[];
  /** SHA-256 of the main file's bytes as shown to the person; no other bytes are written. */
  readonly shown?: string;
  /** Finishes every interrupted adopt and undo of this journal, and adopts nothing else. @default false */
  readonly finish?: boolean;
  /** Runs all checks of adopting without changing a live file. @default false */
  readonly check?: boolean;
}

export interface ReviewOptions extends ProposalOptions, RuleChoices {}

/** The waiting proposals, and the requested one. */
export interface Reviewed {
  /** Every waiting proposal of a night, oldest first. */
  readonly waiting: readonly Review[];
  /**
   * The requested proposal, after the choices. By default it's the one waiting proposal of a night, or the latest training or
   * pruning if none is waiting; missing if several are waiting or there is nothing.
   */
  readonly review?: Review;
  /** The change from adopting it. */
  readonly diff?: ProposalDiff;
}

/**
 * Shows what adopting a proposal, or some of its rules, would change. No live file changes.
 *
 * @example
 * const { proposal, diff: change, powers } = await diff();
 * console.log(proposal.verdict, change, powers);
 */
export async function diff(options: ProposalOptions & RuleChoices & TextChoice = {}): Promise<ProposalDiff> {
  const found = await findOffer(options);
  return diffOffer(found, { decisions: decisionsOf(found, options), text: options.text });
}

/**
 * Shows what a training, a pruning or a night proposes, and keeps a person's choices. No live file changes; `adopt` is a
 * separate step.
 *
 * @example
 * const { waiting } = await review();
 * for (const { id, rules } of waiting) console.log(id, rules.map(({ label }) => label));
 * await review({ run: waiting[0]?.id, drop: ["a41c"] });
 */
export async function review(options: ReviewOptions = {}): Promise<Reviewed> {
  const { journalDir } = projectPlace(options);
  const waiting = listWaiting(journalDir);
  const found = await findShown(options, waiting.length);
  if (found === undefined) return { waiting };
  const decisions = decisionsOf(found, options);
  const isSaid = Object.keys(decisions).length > 0;
  if (isSaid) await chooseRules(found, decisions);
  return {
    waiting: isSaid ? listWaiting(journalDir) : waiting,
    review: openReview(found),
    diff: await diffOffer(found, { withoutRules: true }),
  };
}

/** The proposal to review; undefined if several are waiting and none is named, or if there is none yet. */
async function findShown(options: ReviewOptions, waiting: number): Promise<FinishedRun | undefined> {
  if (options.run !== undefined || hasChoices(options) || waiting === 1) return findWaiting(options);
  const last = waiting === 0 ? await findLast(options) : undefined;
  return last !== undefined && existsSync(join(last.folder, "proposal.json")) ? last : undefined;
}

/** The named proposal, or the only waiting one from nights; if none is waiting, the latest training or pruning. */
export async function findWaiting(
  options: ProposalOptions,
  none = "No proposal is waiting for you.",
): Promise<FinishedRun> {
  if (options.run !== undefined) return findNamed(options, options.run);
  const { journalDir } = projectPlace(options);
  const [only, ...more] = listWaiting(journalDir);
  if (only !== undefined && more.length === 0) return nightRun(journalDir, only.id);
  const last = only === undefined ? await findLast(options) : undefined;
  if (last !== undefined) return last;
  throw only === undefined
    ? new WhetstoneError("not-found", none, {
        hint: "`whetstone train`, `whetstone prune` and `whetstone sleep run` make proposals.",
      })
    : severalFit("proposals are waiting", [only, ...more]);
}

const hasChoices = ({ accept, drop, edit, same, reject }: RuleChoices): boolean =>
  [accept, drop, edit, same, reject].some((choice) => choice !== undefined && Object.keys(choice).length > 0);

function decisionsOf(found: FinishedRun, { text, ...choices }: RuleChoices & TextChoice): Decisions {
  if (!hasChoices(choices)) return {};
  if (text === undefined) return readChoices(openReview(found), choices);
  throw new WhetstoneError("usage", `The ${otherWords[text]} is taken whole: its rules can't be chosen.`, {
    hint: `Leave out the choices of single rules, or leave out --${text}.`,
  });
}

/**
 * Replaces the live skill with what a run proposes, all of it or nothing. A text that isn't proven, hides text or brings new
 * powers is refused unless the options allow it. Needs a person's own terminal, as `undo` does: both are refused under an
 * agent or without a terminal.
 *
 * @example
 * const run = await train({ skill: "./SKILL.md", tasks: "./tasks.jsonl", spend: { usd: 2 } });
 * if (run.verdict === "better") await adopt({ run: run.id });
 * await adopt({ run: "3f9a", drop: ["9"] }); // all rules but one: not sealed by itself
 * if (run.oneShot !== undefined) await adopt({ run: run.id, text: "one-shot" }); // it measured better, unproven
 */
export async function adopt(options: AdoptOptions = {}): Promise<Adopted> {
  // copied once, so that what was asked about is what happens
  const given = { ...options };
  const onlyLooks = given.check === true && given.finish !== true;
  if (!onlyLooks) await requireWord("adopt");
  return adoptConfirmed(given);
}

/** Like `adopt`, for when a person has confirmed it in another way. */
export async function adoptConfirmed(options: AdoptOptions): Promise<Adopted> {
  if (options.finish === true) return finishAll(projectPlace(options).journalDir);
  const found = await findOffer(options);
  const { text, unproven, merge, acknowledge, shown, check } = options;
  return adoptOffer(found, {
    decisions: decisionsOf(found, options),
    text,
    unproven,
    merge,
    acknowledge,
    shown,
    check,
  });
}

/**
 * Puts back the exact bytes from before a run was adopted, all of them or none.
 *
 * @example
 * const { receipt } = await undo({ run: "3f9a" });
 * console.log(receipt.live.path);
 */
export async function undo(options: ProposalOptions = {}): Promise<Undone> {
  await requireWord("undo");
  return undoOffer(await findAdopted(options));
}

/** The named proposal; without a name, the latest training or pruning, or else the waiting proposal of a night. */
export async function findOffer(options: ProposalOptions): Promise<FinishedRun> {
  const last = options.run === undefined ? await findLast(options) : undefined;
  return last ?? findWaiting(options, "No training, pruning or night has made a proposal yet.");
}

/** The named proposal, or the one that was adopted last. */
async function findAdopted(options: ProposalOptions): Promise<FinishedRun> {
  if (options.run !== undefined) return findNamed(options, options.run);
  const { journalDir } = projectPlace(options);
  const all = [...listNightRuns(journalDir), ...(await listProposing(options))];
  const last = all
    .map((run) => ({ run, at: adoptedAt(run) }))
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
  if (last !== undefined && last.at > 0) return last.run;
  throw new WhetstoneError("not-found", "Nothing is adopted, so there's nothing to undo.", {
    hint: "`whetstone runs` lists the runs; `whetstone undo <run>` names one.",
  });
}

async function findNamed(options: ProposalOptions, id: string): Promise<FinishedRun> {
  const nights = listNightRuns(projectPlace(options).journalDir);
  const night = nights.find(({ run }) => run === id);
  if (night !== undefined) return night;
  const named = [...(await listProposing(options)), ...nights].filter(({ run }) => run.startsWith(id));
  const [only, second] = named;
  if (only === undefined)
    throw new WhetstoneError("not-found", `No training, pruning or night's proposal begins with "${id}".`, {
      hint: "`whetstone runs` and `whetstone review` list them.",
    });
  if (second === undefined) return only;
  throw severalFit(
    `runs match "${id}"`,
    named.map(({ run }) => ({ id: run })),
  );
}

const severalFit = (what: string, found: readonly Pick<Review, "id">[]): WhetstoneError =>
  new WhetstoneError("usage", `${found.length} ${what}.`, {
    hint: `Name one: ${found.map(({ id }) => id).join(", ")}.`,
  });

/** The latest training or pruning. */
const findLast = async (options: ProposalOptions): Promise<FinishedRun | undefined> =>
  (await listProposing(options)).at(-1);

/** Trainings and prunings, oldest first. */
async function listProposing(options: ProposalOptions): Promise<readonly FinishedRun[]> {
  const { journal: given } = options;
  const place = projectPlace(options);
  const { journalDir } = place;
  const isOpen = typeof given === "object";
  const journal = isOpen ? given : await openIfThere(place);
  if (journal === undefined) return [];
  try {
    const runs = await listRuns(journal);
    return runs
      .filter(({ command }) => command === "train" || command === "prune")
      .map((run) => ({ run: run.run, folder: recordFolder(journalDir, run), journalDir }));
  } finally {
    if (!isOpen) await journal.close();
  }
}

/** When it was adopted, according to receipts; 0 if it isn't. */
function adoptedAt({ run, journalDir }: FinishedRun): number {
  try {
    const receipt = receiptOf(run, readTarget(journalDir, run), journalDir);
    return receipt?.phase === "adopted" ? receipt.at : 0;
  } catch {
    return 0;
  }
}
