import { refuseAnswers } from "../../config/files/refuse-answers.ts";
import { tasksThatMade } from "../../core/measure/claim-log.ts";
import { readBaseline } from "../reports/read-baseline.ts";
import type { CallOptions, MaybeOpened } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { onlyMeasured } from "./only-measured.ts";
import { performCall } from "./perform.ts";
import type { Performed, Verb } from "./verb.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { claimLimits } from "../../core/gate/claim/claim-limits.ts";
import { assumedFlipRate, claimTrials } from "../../core/gate/claim/claim-trials.ts";
import type { ClaimVerdict } from "../../core/gate/claim/claim-verdict.ts";
import type { Drift } from "../../core/gate/claim/drift.ts";
import { type Detectable, planDetectable } from "../../core/gate/claim/plan-claim.ts";
import { flipRate } from "../../core/gate/flip-rate.ts";
import { knownNoise } from "../session/sealed-power.ts";
import { spendAlpha } from "../../core/gate/claim/spend-alpha.ts";
import type { Role } from "../../core/ports/model.ts";
import { skillIdentity } from "../../core/skill/hash.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import { type Comparison, type TaskPart, compareSkills } from "../../core/measure/compare-skills.ts";
import type { ArmCosts } from "../../core/measure/arm-costs.ts";
import type { ClaimEvidence } from "../../core/evidence.ts";
import { claimFigures } from "../../core/measure/claim-figures.ts";
import type { LostTask } from "../../core/measure/lost-tasks.ts";
import { unitsOf } from "../../core/tasks/clusters.ts";
import { askedHash } from "../../core/tasks/asked-hash.ts";
import { type SplitName, splitNames } from "../../core/tasks/task.ts";
import { provableSentence } from "../../core/plan-words.ts";
import { type ClaimWord, claimSentence, identicalSentence } from "../../core/verdict-words.ts";
import { type PricedCost, suiteFile, trialFiles } from "../reports/artifacts.ts";

export interface CompareOptions extends CallOptions {
  /** What `skill` is compared with: a file, a folder with SKILL.md, a git ref of the same skill, the skill itself, or `none`. */
  readonly baseline: string | Skill;
  /** Which tasks; `unseen` are those that made neither skill. @default "unseen" where the journal knows of some that did, else "all" */
  readonly on?: CompareTasks;
}

export interface ComparePlan {
  /** The skill that `resolved.skill` is compared with. */
  readonly before: Skill;
  readonly on: CompareTasks;
  /** Hashes of the tasks that made one of the skills, as far as the journal knows. */
  readonly seen: ReadonlySet<string>;
}

/** Which tasks two skills are compared on. */
export type CompareTasks = SplitName | "all" | "unseen";

/** The smallest differences that such a comparison finds in 80 of 100 cases are with the noise that it met. */
export interface CompareSummary extends Partial<Detectable> {
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
  /** How many results each host answered for. */
  readonly measuredAt?: Readonly<Record<string, number>>;
  /** Ids of tasks with results that may still come; missing where there is none. */
  readonly missing?: readonly string[];
  /** Ids of tasks that a person left out of the run: a claim counts them as lost. */
  readonly leftOut?: readonly string[];
  /** Set when the target itself moved during the comparison. */
  readonly drift?: Drift;
  /** Tasks that `before` always passed and `after` never did, with the p of their re-run. */
  readonly lost: readonly LostTask[];
  /** What a rollout takes with each of them; missing where nobody counted. */
  readonly perRollout?: ArmCosts;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type CompareRun = Performed<Comparison | undefined, CompareSummary>;

/**
 * Says whether a skill is better or worse than an earlier one, and how sure that is. The same call again resumes, or
 * gives the finished result.
 *
 * @example
 * const { summary } = await compare({ skill: "./SKILL.md", baseline: "main", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 * console.log(summary.verdict, summary.sentence);
 */
export const compare = ({ baseline, on, ...options }: CompareOptions): Promise<CompareRun> =>
  performCall(options, ["target"], (opened) => openCompare({ baseline, on, cwd: options.cwd }, opened));

/** The comparison that a call asks for. */
export async function openCompare(
  { baseline, on, cwd }: Pick<CompareOptions, "baseline" | "on" | "cwd">,
  { resolved, journal }: MaybeOpened,
): Promise<Verb<Comparison | undefined, CompareSummary>> {
  const { skill, skillPath, skillList, splits } = resolved;
  const before =
    typeof baseline === "string" ? await readBaseline(baseline, skillPath, { ...skillList, cwd }) : baseline;
  refuseAnswers(before, splits, resolved);
  const made =
    journal === undefined ? [] : [await tasksThatMade(before, journal), await tasksThatMade(skill, journal)];
  const seen = new Set(made.flatMap((hashes) => [...hashes]));
  return compareVerb(resolved, { before, on: on ?? (seen.size > 0 ? "unseen" : "all"), seen });
}

/** A skill against an earlier one: pair by pair, one exact test, each look counted. */
export function compareVerb(
  given: Resolved,
  { before, on, seen }: ComparePlan,
): Verb<Comparison | undefined, CompareSummary> {
  const parts = partsOf(given, on, seen);
  const resolved = onlyMeasured(given, parts);
  const { settings, skill: after } = resolved;
  const tasks = parts.flatMap((part) => part.tasks);
  const seenHere = tasks.flatMap((task) => (seen.has(askedHash(task)) ? task.id : []));
  const units = new Set(unitsOf(tasks)).size;
  const alpha = spendAlpha(settings.sealedAlpha, 1);
  const trials = claimTrials({ tasks: units, alpha, settings });
  const isSame = sameTexts(before, after);
  if (!isSame) refuseImpossible(units, trials, alpha);
  return {
    command: "compare",
    roles: ["target"],
    resolved,
    id: runId("compare", resolved, { before: skillIdentity(before), on }),
    claims: tasks,
    isFree: isSame,
    async provable(journal) {
      if (isSame) return identicalSentence;
      const noise = await knownNoise({ models: resolved.models, skill: before }, journal);
      const limits = claimLimits({ tasks: units, trials }, alpha);
      const { flipRate: rate, score: baseline } = noise;
      const size = { tasks: units, trials, alpha, flipRate: rate, baseline, seed: settings.seed };
      return provableSentence({ ...size, limits, ...planDetectable(size) }, "This comparison");
    },
    async run(context) {
      if (isSame) return undefined;
      return compareSkills({ before, after, parts, trials, seen: seenHere }, context);
    },
    tell(found, { run, cost }) {
      const figures = found && comparedPart(found, settings.seed);
      const summary: CompareSummary = {
        run,
        verdict: "identical",
        sentence: identicalSentence,
        on,
        tasks: tasks.length,
        seen: seenHere.length,
        trials: found?.before.rolled.length ?? trials,
        before: { hash: skillIdentity(before), score: found?.claim.before ?? null },
        after: { hash: skillIdentity(after), score: found?.claim.after ?? null },
        lost: [],
        ...figures,
        cost,
      };
      return {
        sentence: summary.sentence,
        summary,
        artifacts: found && { ...armFiles(found), ...suiteFile(tasks) },
        evidence: found && { claim: found.evidence },
      };
    },
  };
}

/** What a summary says of the claim, from what was measured and from the re-runs of lost tasks. */
export function comparedPart(
  { evidence, lost }: Pick<Comparison, "evidence" | "lost">,
  seed: number,
): Pick<
  CompareSummary,
  | "verdict"
  | "sentence"
  | "claim"
  | "look"
  | "answeredBy"
  | "measuredAt"
  | "missing"
  | "drift"
  | "lost"
  | "perRollout"
  | "detectable"
  | "detectableOnSome"
> {
  const { claim, fallen, models, hosts, leftOut, missing, drift, perRollout } = claimFigures(evidence);
  const look = "look" in evidence.bar ? evidence.bar.look : 1;
  return {
    verdict: claim.verdict,
    sentence: claimSentence(claim, {
      look,
      drift,
      // those that were passed always and failed always have lines of their own
      lost: fallen.filter((id) => !lost.some(({ task }) => task === id)),
      seen: evidence.seen,
      models,
      hosts,
      leftOut,
      missing,
      perRollout,
    }),
    claim,
    look,
    answeredBy: models,
    measuredAt: hosts,
    missing: missing.length === 0 ? undefined : missing,
    drift,
    lost,
    perRollout,
    ...detectableBy(claim, evidence.pairs, seed),
  };
}

/** As if it were planned again, with what is known now; towards the side with more room, as a loss counts too. */
function detectableBy(claim: ClaimVerdict, pairs: ClaimEvidence["pairs"], seed: number): Detectable {
  const trials = pairs[0]?.candidate.length ?? 0;
  const arms = [...pairs.map(({ incumbent }) => incumbent), ...pairs.map(({ candidate }) => candidate)];
  const scored = arms.map((own) => own.filter((score) => score !== null));
  const noise = trials > 1 ? flipRate(scored).rate : assumedFlipRate;
  const { units: tasks, alpha, before: score } = claim;
  const baseline = Math.min(score, 1 - score);
  return planDetectable({ tasks, trials, alpha, flipRate: noise, baseline, seed });
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
