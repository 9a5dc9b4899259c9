import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { claimLimits } from "../../core/gate/claim/claim-limits.ts";
import { claimTrials } from "../../core/gate/claim/claim-trials.ts";
import type { ClaimVerdict } from "../../core/gate/claim/claim-verdict.ts";
import type { Drift } from "../../core/gate/claim/drift.ts";
import { spendAlpha } from "../../core/gate/claim/spend-alpha.ts";
import type { Role } from "../../core/ports/model.ts";
import { skillIdentity } from "../../core/skill/hash.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import { type Comparison, type TaskPart, compareSkills } from "../../core/measure/compare-skills.ts";
import type { LostTask } from "../../core/measure/lost-tasks.ts";
import { unitsOf } from "../../core/tasks/clusters.ts";
import { askedHash } from "../../core/tasks/asked-hash.ts";
import { type SplitName, splitNames } from "../../core/tasks/task.ts";
import { type ClaimWord, claimSentence, identicalSentence, onSeenTasks } from "../../core/verdict-words.ts";
import { type PricedCost, priceCosts, trialFiles } from "../reports/artifacts.ts";
import { type MeasuringRun, measuringRun } from "./measuring-run.ts";
import type { RunOptions } from "../session/run-in-session.ts";

export interface ComparePlan {
  /** The skill that `resolved.skill` is compared with. */
  readonly before: Skill;
  readonly on: CompareTasks;
  /** Hashes of the tasks that made one of the skills, as far as the journal knows. */
  readonly seen: ReadonlySet<string>;
}

/** Which tasks two skills are compared on. */
export type CompareTasks = SplitName | "all" | "unseen";

export interface CompareSummary {
  readonly run: string;
  /** What is known of `after`; `identical` when both skills are the same, and nothing was run. */
  readonly verdict: ClaimWord | "identical";
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly on: CompareTasks;
  readonly tasks: number;
  /** How many of them helped to make one of the skills. */
  readonly seen: number;
  /** Per task and arm. */
  readonly trials: number;
  readonly before: { readonly hash: string; readonly score: number | null };
  readonly after: { readonly hash: string; readonly score: number | null };
  readonly claim?: ClaimVerdict;
  /** How often this pair of skills has been looked at, this one included; each look raises the bar. */
  readonly look?: number;
  /** Who answered, as the provider named itself. */
  readonly answeredBy?: readonly string[];
  /** Set when the target itself moved during the comparison. */
  readonly drift?: Drift;
  /** Tasks that `before` always passed and `after` never did, with the p of their re-run. */
  readonly lost: readonly LostTask[];
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type CompareRun = MeasuringRun<CompareSummary>;

/** Compares, or goes on comparing, a skill with an earlier one: pair by pair, one exact test, each look counted. */
export async function compareRun(
  resolved: Resolved,
  { before, on, seen }: ComparePlan,
  options: RunOptions,
): Promise<CompareRun> {
  const after = resolved.skill;
  const parts = partsOf(resolved, on, seen);
  const tasks = parts.reduce((sum, part) => sum + part.tasks.length, 0);
  const isSame = sameTexts(before, after);
  const { settings } = resolved;
  const seenHere = parts.flatMap((part) =>
    part.tasks.flatMap((task) => (seen.has(askedHash(task)) ? task.id : [])),
  );
  const units = new Set(unitsOf(parts.flatMap((part) => part.tasks))).size;
  const alpha = spendAlpha(settings.sealedAlpha, 1);
  const trials = claimTrials({ tasks: units, alpha, settings });
  if (!isSame) refuseImpossible(units, trials, alpha);
  const more = { before: skillIdentity(before), on };
  const plan = { command: "compare", given: resolved, parts, more, callsNobody: isSame } as const;
  return measuringRun(plan, options, async (session, run) => {
    const { context } = session;
    const rolled = isSame ? undefined : await compareSkills({ before, after, parts, trials }, context);
    const found = rolled && seenHere.length > 0 ? onlyOnThese(rolled) : rolled;
    const sentence =
      found === undefined
        ? identicalSentence
        : claimSentence(found.claim, {
            look: found.look,
            drift: found.drift,
            // those that were passed always and failed always have lines of their own
            lost: found.fallen.filter((id) => !found.lost.some(({ task }) => task === id)),
            seen: seenHere,
            models: found.models,
          });
    const summary: CompareSummary = {
      run,
      verdict: found?.claim.verdict ?? "identical",
      sentence,
      on,
      tasks,
      seen: seenHere.length,
      trials: found?.before.rolled.length ?? trials,
      before: { hash: skillIdentity(before), score: found?.claim.before ?? null },
      after: { hash: skillIdentity(after), score: found?.claim.after ?? null },
      claim: found?.claim,
      look: found?.look,
      answeredBy: found?.models,
      ...(found?.drift === undefined ? {} : { drift: found.drift }),
      lost: found?.lost ?? [],
      cost: priceCosts(session.costByRole()),
    };
    return { summary, sentence, artifacts: found === undefined ? {} : armFiles(found) };
  });
}

/** Tasks that made a skill are no sample of others: what they show holds on them. */
const onlyOnThese = (found: Comparison): Comparison => ({
  ...found,
  claim: { ...found.claim, verdict: onSeenTasks(found.claim.verdict), scope: "these tasks" },
});

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

function partsOf({ splits }: Resolved, on: CompareTasks, seen: ReadonlySet<string>): readonly TaskPart[] {
  const names = on === "all" || on === "unseen" ? splitNames : [on];
  const parts = names
    .map((split) => ({
      split,
      tasks: splits[split].filter((task) => on !== "unseen" || !seen.has(askedHash(task))),
    }))
    .filter(({ tasks }) => tasks.length > 0);
  if (parts.length > 0) return parts;
  if (on === "unseen") {
    throw new WhetstoneError("tasks-invalid", "All of these tasks helped to make one of the skills.", {
      hint: "Add tasks; or choose --on all, and the verdict will say that it speaks of tasks that were seen.",
    });
  }
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
