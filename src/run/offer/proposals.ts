import { openJournal } from "../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { RunState } from "../../report/run-state.ts";
import { adoptRun, finishAll } from "./adopt.ts";
import { type ProposalDiff, diffProposal } from "./diff-proposal.ts";
import { readTarget } from "./live-skill.ts";
import { type FinishedRun, readProposal } from "./proposal.ts";
import { receiptOf } from "./receipts.ts";
import { type Undone, undoRun } from "./undo.ts";
import type { RuleChoice } from "../../core/rules/choose-part.ts";
import { listRuns, recordFolder } from "../reports/runs.ts";
import { type AdoptedProposal, adoptProposal } from "./adopt-proposal.ts";
import { nightRun, readReviews } from "./proposal-folder.ts";
import { undoProposal } from "./offers.ts";
import { type ProjectOptions, projectPlace } from "../project-options.ts";
import { type RuleChoices, decideRules } from "./review.ts";
import { requireWord } from "../word.ts";

/** Which proposal is meant. */
export interface ProposalOptions extends ProjectOptions {
  /** The beginning of the id of a training, of a pruning or of a night's proposal. @default the latest training or pruning that fits */
  readonly run?: string;
}

/** Which of two texts of a run is meant. */
export interface OneShotChoice {
  /** The run's one-shot rewrite, where it passed more test tasks than what the run ended with. Always unproven. @default false */
  readonly oneShot?: boolean;
}

export interface AdoptOptions extends ProposalOptions, RuleChoices, OneShotChoice {
  /** Adopts what no sealed test has shown to be better. @default false */
  readonly unproven?: boolean;
  /** Merges into live files that changed since; unproven from then on. @default false */
  readonly merge?: boolean;
  /** Ids of new powers that a person has seen and means; there is no word for all of them. @default none */
  readonly acknowledge?: readonly string[];
  /** SHA-256 of the main file's bytes as the person was shown them; no others are written. */
  readonly shown?: string;
  /** Finishes every adopt and undo of this journal that was interrupted, and adopts nothing else. @default false */
  readonly finish?: boolean;
  /** Checks all that adopting checks, and changes no live file; `branch` has no such check. @default false */
  readonly check?: boolean;
  /** Of a night's proposal: commits the rules onto this new branch, and the live file stays as it is. */
  readonly branch?: string;
  /** Of a night's proposal: also pushes the branch and opens a pull request. @default false */
  readonly pullRequest?: boolean;
}

/**
 * What adopting a run, or a part of its rules, would change. Nothing live changes.
 *
 * @example
 * const { proposal, diff: change, powers } = await diff();
 * console.log(proposal.verdict, change, powers);
 */
export async function diff(
  options: ProposalOptions & RuleChoice & OneShotChoice = {},
): Promise<ProposalDiff> {
  const { isNight, ...found } = await findOffer(options);
  if (!isNight) refuseForNights(found, options);
  return diffProposal(found, { choice: choiceOf(options), oneShot: options.oneShot });
}

/** Undefined where nothing was said of single rules. */
const choiceOf = ({ accept = [], drop = [] }: RuleChoice): RuleChoice | undefined =>
  accept.length + drop.length === 0
    ? undefined
    : { ...(accept.length === 0 ? {} : { accept }), ...(drop.length === 0 ? {} : { drop }) };

/**
 * Puts what a run proposes in the place of the live skill, all of it or nothing. What is not proven, hides text or brings
 * new powers is refused unless the options say otherwise. Needs a person's own terminal, as `undo` does: under an agent, or
 * without a terminal, both are refused.
 *
 * @example
 * const run = await train({ skill: "./SKILL.md", tasks: "./tasks.jsonl", spend: { usd: 2 } });
 * if (run.verdict === "better") await adopt({ run: run.id });
 * await adopt({ run: "3f9a", drop: ["9"] }); // all rules but one: not sealed by itself
 * if (run.oneShot !== undefined) await adopt({ run: run.id, oneShot: true }); // it measured better, unproven
 */
export async function adopt(options: AdoptOptions = {}): Promise<AdoptedProposal> {
  // taken once: what is asked about is what happens
  const given = { ...options };
  const { check, finish, branch, pullRequest = false } = given;
  const onlyLooks = check === true && finish !== true && branch === undefined && !pullRequest;
  if (!onlyLooks) await requireWord("adopt");
  return adoptConfirmed(given);
}

/** As `adopt`, where a person has confirmed it in another way. */
export async function adoptConfirmed(options: AdoptOptions): Promise<AdoptedProposal> {
  const { oneShot, unproven, merge, acknowledge, shown, check, branch, pullRequest = false } = options;
  if (options.finish === true) return finishAll(projectPlace(options).journalDir);
  const { isNight, ...found } = await findOffer(options);
  if (!isNight) refuseForNights(found, options);
  if (!isNight || oneShot === true)
    return adoptRun(found, {
      oneShot,
      unproven,
      merge,
      acknowledge,
      shown,
      check,
      choice: choiceOf(options),
    });
  const { journalDir, run: id } = found;
  const decisions = await decideRules(journalDir, id, options);
  return adoptProposal({
    journalDir,
    id,
    decisions,
    unproven,
    merge,
    acknowledge,
    shown,
    check,
    branch: branch ?? (pullRequest ? `whetstone/${id}` : undefined),
    pullRequest,
  });
}

/** Nobody's word is left unheard: a training's rules can be taken or left out, and no more is known of them yet. */
function refuseForNights(
  { run, folder }: FinishedRun,
  { edit = {}, same = {}, reject = {}, branch, pullRequest }: AdoptOptions,
): void {
  for (const [word, rules] of Object.entries({ edit, same, reject })) {
    const [rule] = Object.keys(rules);
    if (rule === undefined) continue;
    const known = readProposal(run, folder).rules?.kept.map(({ number }) => String(number)) ?? [];
    throw new WhetstoneError(
      "usage",
      known.includes(rule)
        ? `\`${word}\` isn't known to the proposal of run ${run}: rule ${rule} of it can be accepted or dropped.`
        : `\`${word}\` isn't known to the proposal of run ${run}, nor is there a rule "${rule}" in it.`,
      {
        hint: known.includes(rule)
          ? `Nothing was changed. \`whetstone adopt ${run} --drop ${rule}\` leaves it out.`
          : known.length === 0
            ? "Nothing was changed. Its rules can't be taken one by one."
            : `Nothing was changed. Its rules are ${known.join(", ")}.`,
      },
    );
  }
  if (branch === undefined && pullRequest !== true) return;
  throw new WhetstoneError(
    "usage",
    `Only a night's proposal goes onto a branch; ${run} is none of a night.`,
    {
      hint: `Nothing was changed. \`whetstone adopt ${run}\` writes it into the live file; commit that yourself.`,
    },
  );
}

/**
 * Puts back the exact bytes from before a run was adopted, all of them or none.
 *
 * @example
 * const { receipt } = await undo({ run: "3f9a" });
 * console.log(receipt?.live.path);
 */
export async function undo(options: ProposalOptions = {}): Promise<Undone> {
  await requireWord("undo");
  const { isNight, ...found } = await findOffer(options, isAdopted);
  return isNight ? undoProposal({ journalDir: found.journalDir, id: found.run }) : undoRun(found);
}

interface Offer extends FinishedRun {
  readonly isNight: boolean;
}

/** The named training, pruning or night's proposal, or the latest training or pruning that fits. */
async function findOffer(
  options: ProposalOptions,
  fits: (run: RunState, journalDir: string) => boolean = () => true,
): Promise<Offer> {
  const { run: id } = options;
  const { journalDir } = projectPlace(options);
  const nights = readReviews(journalDir).map((review) => nightRun(journalDir, review.id));
  const night = nights.find(({ run }) => run === id);
  if (night !== undefined) return { ...night, isNight: true };
  const runs = await listProposing(options);
  const named =
    id === undefined
      ? runs.filter((run) => fits(run, journalDir)).slice(-1)
      : [...runs, ...nights].filter(({ run }) => run.startsWith(id));
  const [only, second] = named;
  if (only === undefined) throw noRun(id, runs.length > 0);
  if (second !== undefined) {
    throw new WhetstoneError("usage", `"${id}" fits ${named.length} runs.`, {
      hint: `Write more of the id: ${named.map(({ run }) => run).join(", ")}.`,
    });
  }
  return {
    run: only.run,
    folder: recordFolder(journalDir, only),
    journalDir,
    isNight: nights.some((each) => each.run === only.run),
  };
}

async function listProposing(options: ProposalOptions): Promise<readonly RunState[]> {
  const { journal: given } = options;
  const isOpen = typeof given === "object";
  const journal = isOpen ? given : await openJournal(projectPlace(options), { readOnly: true });
  try {
    return (await listRuns(journal)).filter(({ command }) => command === "train" || command === "prune");
  } finally {
    if (!isOpen) await journal.close();
  }
}

/** Its bytes are live, as far as receipts tell. */
function isAdopted({ run }: RunState, journalDir: string): boolean {
  try {
    return receiptOf(run, readTarget(journalDir, run), journalDir)?.phase === "adopted";
  } catch {
    return false;
  }
}

function noRun(id: string | undefined, isAny: boolean): WhetstoneError {
  if (id !== undefined) {
    return new WhetstoneError("not-found", `No training, pruning or night's proposal begins with "${id}".`, {
      hint: "`whetstone runs` and `whetstone sleep review` list them.",
    });
  }
  return isAny
    ? new WhetstoneError("not-found", "No run is adopted, so there is nothing to undo.", {
        hint: "`whetstone runs` lists the runs; `whetstone undo <run>` names one.",
      })
    : new WhetstoneError("not-found", "There is no training or pruning yet.", {
        hint: "`whetstone train` makes one.",
      });
}
