import type { Resolved } from "../config/resolved.ts";
import { WhetstoneError } from "../core/errors.ts";
import { claimLimits } from "../core/gate/claim-limits.ts";
import { claimTrials } from "../core/gate/claim-trials.ts";
import type { ClaimVerdict, VerdictWord } from "../core/gate/claim-verdict.ts";
import type { Role } from "../core/ports/model.ts";
import { skillIdentity } from "../core/skill/hash.ts";
import { type Skill, mainText } from "../core/skill/skill.ts";
import { claimSentence } from "../core/stages/claim-sentence.ts";
import { type Comparison, type TaskPart, compareSkills } from "../core/stages/compare-skills.ts";
import type { LostTask } from "../core/stages/lost-tasks.ts";
import type { Trials } from "../core/stages/trials.ts";
import type { SplitName } from "../core/tasks/task.ts";
import { type PricedCost, priceCosts, trialFiles } from "./artifacts.ts";
import { type Measured, measuringRun } from "./measuring-run.ts";
import type { RunOptions } from "./run-in-session.ts";

export interface ComparePlan {
  /** The skill that `resolved.skill` is compared with. */
  readonly before: Skill;
  readonly on: SplitName | "all";
}

export interface CompareSummary {
  readonly run: string;
  /** What is known of `after`; `identical` when both skills are the same, and nothing was run. */
  readonly verdict: VerdictWord | "identical";
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly on: SplitName | "all";
  readonly tasks: number;
  /** Per task and arm. */
  readonly trials: number;
  readonly before: { readonly hash: string; readonly score: number | null };
  readonly after: { readonly hash: string; readonly score: number | null };
  readonly claim?: ClaimVerdict & { readonly alpha: number };
  /** Tasks that `before` always passed and `after` never did, with the p of their re-run. */
  readonly lost: readonly LostTask[];
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type CompareRun = Measured<CompareSummary>;

/** Compares, or goes on comparing, a skill with an earlier one: both arms fresh, one exact test, read once. */
export async function compareRun(
  resolved: Resolved,
  { before, on }: ComparePlan,
  options: RunOptions,
): Promise<CompareRun> {
  const after = resolved.skill;
  const parts = partsOf(resolved, on);
  const tasks = parts.reduce((sum, part) => sum + part.tasks.length, 0);
  const isSame = sameTexts(before, after);
  const { seed, sealedAlpha: alpha } = resolved.settings;
  const trials = claimTrials({ tasks, trials: resolved.settings.trials, alpha, seed });
  if (!isSame) refuseImpossible(tasks, trials, alpha);
  const more = { before: skillIdentity(before), on };
  const plan = { command: "compare", given: resolved, parts, more, callsNobody: isSame } as const;
  return measuringRun(plan, options, async (session, run) => {
    const { context } = session;
    const found = isSame ? undefined : await compareSkills({ before, after, parts, trials }, context);
    const sentence =
      found === undefined
        ? "Both skills are the same, byte for byte: nothing was run."
        : claimSentence(found.claim);
    const summary: CompareSummary = {
      run,
      verdict: found?.claim.verdict ?? "identical",
      sentence,
      on,
      tasks,
      trials,
      before: { hash: skillIdentity(before), score: found === undefined ? null : meanOf(found.before) },
      after: { hash: skillIdentity(after), score: found === undefined ? null : meanOf(found.after) },
      ...(found === undefined ? {} : { claim: { ...found.claim, alpha } }),
      lost: found?.lost ?? [],
      cost: priceCosts(session.costByRole()),
    };
    return { summary, sentence, artifacts: found === undefined ? {} : armFiles(found) };
  });
}

/** The name of a single file does not matter. */
function sameTexts(one: Skill, other: Skill): boolean {
  const rest = ({ main, files, executable = [] }: Skill) =>
    skillIdentity({ main: "", files: { ...files, [main]: "" }, executable });
  const names = (skill: Skill) => Object.keys(skill.files).length;
  if (mainText(one) !== mainText(other)) return false;
  return (names(one) === 1 && names(other) === 1) || rest(one) === rest(other);
}

const armFiles = ({ before, after }: Comparison) => ({
  ...trialFiles("eval_before", before),
  ...trialFiles("eval_after", after),
});

function partsOf({ splits }: Resolved, on: SplitName | "all"): readonly TaskPart[] {
  const names = on === "all" ? (["train", "val", "test"] as const) : [on];
  const parts = names
    .map((split) => ({ split, tasks: splits[split] }))
    .filter(({ tasks }) => tasks.length > 0);
  if (parts.length > 0) return parts;
  throw new WhetstoneError("tasks-invalid", `The ${on} split has no tasks.`, {
    hint: "Choose another split, or add tasks to it.",
  });
}

/** Known before the first call: not even a candidate that always wins could be called better. */
function refuseImpossible(tasks: number, trials: number, alpha: number): void {
  const { possible, bestP, tasksNeeded, trialsNeeded } = claimLimits({ tasks, trials }, alpha);
  if (possible) return;
  const orTrials = trialsNeeded === null ? "" : ` or ${trialsNeeded} trials`;
  throw new WhetstoneError(
    "tasks-invalid",
    `${tasks} tasks with ${trials} trials cannot show anything: at best p = ${bestP.toPrecision(2)}, and ${alpha} is asked for.`,
    { hint: `${tasksNeeded} tasks${orTrials} would do. Nothing was called.` },
  );
}

function meanOf({ scores }: Trials): number | null {
  const known = scores.flat().filter((score) => score !== null);
  return known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length;
}
