import { allTasks } from "../../core/tasks/few-tasks.ts";
import { refuseAnswers } from "../../config/files/refuse-answers.ts";
import { nextBar, tasksThatMade } from "../../core/measure/claim-log.ts";
import { readBaseline } from "../reports/read-baseline.ts";
import type { CallOptions, MaybeOpened } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { onlyMeasured } from "./only-measured.ts";
import { performCall } from "./perform.ts";
import type { Performed, Verb } from "./verb.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { AskedFacts } from "../../core/asked-words.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type ClaimSize, claimLimits } from "../../core/gate/claim/claim-limits.ts";
import { assumedFlipRate, claimTrials } from "../../core/gate/claim/claim-trials.ts";
import type { ClaimVerdict } from "../../core/gate/claim/claim-verdict.ts";
import type { Drift } from "../../core/gate/claim/drift.ts";
import { type Detectable, planDetectable } from "../../core/gate/claim/plan-claim.ts";
import { flipRate } from "../../core/gate/flip-rate.ts";
import { assumedScore, knownScore } from "../session/sealed-power.ts";
import { firstBar } from "../../core/gate/claim/account.ts";
import type { Journal } from "../../core/ports/journal.ts";
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
import { type PricedCost, trialFiles } from "../reports/artifacts.ts";

export interface CompareOptions extends CallOptions {
  /** The baseline for `skill`: a file, a folder with SKILL.md, a git ref of the same skill, a `Skill`, or `none`. */
  readonly baseline: string | Skill;
  /** Which tasks; `unseen`: not used to make either skill. @default "unseen" if the journal knows of used tasks, else "all" */
  readonly on?: CompareTasks;
  /** Other texts to compare with the same baseline at the same time; all of them count as one question. @default none */
  readonly among?: readonly (string | Skill)[] | undefined;
  /** `fades` if comparisons never end, as in CI: an earlier question then counts half after 30 more. @default "lasts" */
  readonly memory?: "lasts" | "fades" | undefined;
}

export interface ComparePlan extends Pick<CompareOptions, "memory"> {
  /** The skill that `resolved.skill` is compared with. */
  readonly before: Skill;
  /** Other texts compared with it at the same time. @default none */
  readonly among?: readonly Skill[];
  readonly on: CompareTasks;
  /** Hashes of the tasks used to make one of the skills, as far as the journal knows. */
  readonly seen: ReadonlySet<string>;
}

/** The tasks that two skills are compared on. */
export type CompareTasks = SplitName | "all" | "unseen";

/** The smallest detectable differences assume 80% power and the noise that was measured. */
export interface CompareSummary extends Partial<Detectable> {
  readonly run: string;
  /** The verdict on `after`; `identical` if both skills are the same and nothing was run. */
  readonly verdict: ClaimWord | "identical";
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly on: CompareTasks;
  readonly tasks: number;
  /** How many of them were used to make one of the skills. */
  readonly seen: number;
  /** Per task and arm. */
  readonly trials: number;
  readonly before: { readonly hash: string; readonly score: number | null };
  readonly after: { readonly hash: string; readonly score: number | null };
  readonly claim?: ClaimVerdict;
  /** Its place among the texts compared on these tasks; the threshold gets stricter with each. */
  readonly asked?: AskedFacts;
  /** The models that answered, as the provider named them. */
  readonly answeredBy?: readonly string[];
  /** How many results came from each host. */
  readonly measuredAt?: Readonly<Record<string, number>>;
  /** Target replies that weren't usable answers, by arm and kind; missing if all were usable. */
  readonly unusable?: ClaimEvidence["unusable"];
  /** Ids of tasks whose results may still come; missing if there are none. */
  readonly missing?: readonly string[];
  /** Ids of tasks left out of the run by a person; a claim counts them as lost. */
  readonly leftOut?: readonly string[];
  /** Set if the target itself drifted during the comparison. */
  readonly drift?: Drift;
  /** Tasks that `before` always passed and `after` never did, with the p of their re-run. */
  readonly lost: readonly LostTask[];
  /** Usage per rollout with each skill; missing if it wasn't counted. */
  readonly perRollout?: ArmCosts;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type CompareRun = Performed<Comparison | undefined, CompareSummary>;

/**
 * Finds out whether a skill is better or worse than an earlier one, and how sure that is. Calling it again resumes, or
 * returns the finished result.
 *
 * @example
 * const { summary } = await compare({ skill: "./SKILL.md", baseline: "main", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 * console.log(summary.verdict, summary.sentence);
 */
export const compare = ({ baseline, on, among, memory, ...options }: CompareOptions): Promise<CompareRun> =>
  performCall(options, ["target"], (opened) =>
    openCompare({ baseline, on, among, memory, cwd: options.cwd }, opened),
  );

/** The comparison that a call asks for. */
export async function openCompare(
  {
    baseline,
    on,
    among: others = [],
    memory,
    cwd,
  }: Pick<CompareOptions, "baseline" | "on" | "among" | "memory" | "cwd">,
  { resolved, journal }: MaybeOpened,
): Promise<Verb<Comparison | undefined, CompareSummary>> {
  const { skill, skillPath, skillList, splits } = resolved;
  const read = async (text: string | Skill) =>
    typeof text === "string" ? readBaseline(text, skillPath, { ...skillList, cwd }) : text;
  const before = await read(baseline);
  const among = differing(await Promise.all(others.map(read)), [before, skill]);
  for (const text of [before, ...among]) refuseAnswers(text, splits, resolved);
  const seen = new Set<string>();
  if (journal !== undefined)
    for (const text of [before, skill, ...among])
      for (const hash of await tasksThatMade(text, journal)) seen.add(hash);
  return compareVerb(resolved, { before, among, on: on ?? (seen.size > 0 ? "unseen" : "all"), seen, memory });
}

/** A skill against an earlier one: pair by pair, with one exact test that counts each look. */
export function compareVerb(
  given: Resolved,
  { before, among = [], on, seen, memory }: ComparePlan,
): Verb<Comparison | undefined, CompareSummary> {
  const parts = partsOf(given, on, seen);
  const resolved = onlyMeasured(given, parts);
  const { settings, skill: after } = resolved;
  const tasks = parts.flatMap((part) => part.tasks);
  const file = allTasks(given.splits);
  const seenHere = tasks.flatMap((task) => (seen.has(askedHash(task)) ? task.id : []));
  const units = new Set(unitsOf(tasks)).size;
  const isSame = sameTexts(before, after);
  const first = sizeAt(firstBar(settings.sealedAlpha));
  if (!isSame) refuseImpossible(first, first.alpha / (1 + among.length));
  return {
    command: "compare",
    roles: ["target"],
    resolved,
    id: runId("compare", resolved, {
      before: skillIdentity(before),
      on,
      ...(among.length === 0 ? {} : { among: among.map(skillIdentity).toSorted() }),
    }),
    claims: tasks,
    isFree: isSame,
    async provable(journal) {
      if (isSame) return identicalSentence;
      const score = await knownScore({ models: resolved.models, skill: before }, journal);
      const { size, read } = await planned(journal);
      const alpha = size.alpha / (1 + among.length);
      const claim = {
        ...size,
        alpha,
        flipRate: assumedFlipRate,
        baseline: score ?? assumedScore,
        seed: settings.seed,
      };
      const what = among.length === 0 ? "This comparison" : `This comparison of ${1 + among.length} texts`;
      const limits = claimLimits(first, first.alpha);
      return provableSentence({ ...claim, limits, ...planDetectable(claim), read }, what);
    },
    async run(context) {
      if (isSame) return undefined;
      const { trials } = (await planned(context.journal)).size;
      return compareSkills({ before, after, among, parts, file, trials, seen: seenHere, memory }, context);
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
        trials: found?.before.rolled.length ?? first.trials,
        before: { hash: skillIdentity(before), score: found?.claim.before ?? null },
        after: { hash: skillIdentity(after), score: found?.claim.after ?? null },
        lost: [],
        ...figures,
        cost,
      };
      return {
        sentence: summary.sentence,
        summary,
        artifacts: found && armFiles(found),
        evidence: found && { claim: found.evidence },
      };
    },
  };

  function sizeAt(alpha: number) {
    return { tasks: units, trials: claimTrials({ tasks: units, alpha, settings }), alpha };
  }

  /** Uses the threshold of the first look, so that the same command continues with the same trials. */
  async function planned(journal: Journal | undefined) {
    if (journal === undefined) return { size: first, read: 1 };
    const asking = { before, after, among, tasks, file, memory };
    const { read, pay } = await nextBar(asking, resolved.models.target, journal);
    const { alpha, ...size } = sizeAt(firstBar(settings.sealedAlpha, pay));
    // CI looks for losses, and their threshold doesn't get stricter
    return { size: { ...size, alpha, ...(memory === "fades" ? { trials: first.trials } : {}) }, read };
  }
}

/** The claim's part of a summary, from the measurements and the re-runs of lost tasks. */
export function comparedPart(
  { evidence, lost }: Pick<Comparison, "evidence" | "lost">,
  seed: number,
): Pick<
  CompareSummary,
  | "verdict"
  | "sentence"
  | "claim"
  | "asked"
  | "answeredBy"
  | "measuredAt"
  | "unusable"
  | "missing"
  | "drift"
  | "lost"
  | "perRollout"
  | "detectable"
  | "detectableOnSome"
> {
  const { claim, fallen, models, hosts, unusable, leftOut, missing, drift, perRollout } =
    claimFigures(evidence);
  const { read, look, fresh, memory } = evidence.bar;
  const asked = { read, look, fresh, memory, texts: 1 + (evidence.beside?.length ?? 0) };
  return {
    verdict: claim.verdict,
    sentence: claimSentence(claim, {
      asked,
      drift,
      // tasks that always passed before and always fail now have lines of their own
      lost: fallen.filter((id) => !lost.some(({ task }) => task === id)),
      seen: evidence.seen,
      models,
      hosts,
      unusable,
      leftOut,
      missing,
      perRollout,
    }),
    claim,
    asked,
    answeredBy: models,
    measuredAt: hosts,
    unusable,
    missing: missing.length === 0 ? undefined : missing,
    drift,
    lost,
    perRollout,
    ...detectableBy(claim, evidence.pairs, seed),
  };
}

/** As if planned again with what is known now; towards the side with more room, as a loss counts too. */
function detectableBy(claim: ClaimVerdict, pairs: ClaimEvidence["pairs"], seed: number): Detectable {
  const trials = pairs[0]?.candidate.length ?? 0;
  const arms = [...pairs.map(({ incumbent }) => incumbent), ...pairs.map(({ candidate }) => candidate)];
  const scored = arms.map((own) => own.filter((score) => score !== null));
  const noise = trials > 1 ? flipRate(scored) : assumedFlipRate;
  const { units: tasks, alpha, before: score } = claim;
  const baseline = Math.min(score, 1 - score);
  return planDetectable({ tasks, trials, alpha, flipRate: noise, baseline, seed });
}

/** Each text once, without the known ones. */
const differing = (texts: readonly Skill[], known: readonly Skill[]): readonly Skill[] =>
  texts.filter((text, at) => ![...known, ...texts.slice(0, at)].some((other) => sameTexts(text, other)));

/** The name of a single file doesn't matter. */
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
      tasks: splits[split]
        .filter((task) => on !== "unseen" || !seen.has(askedHash(task)))
        // few tasks are in both
        .filter((task) => names.length === 1 || split !== "val" || !splits.train.includes(task)),
    }))
    .filter(({ tasks }) => tasks.length > 0);
  if (parts.length > 0) return parts;
  if (on === "unseen") {
    throw new WhetstoneError("tasks-invalid", "All of these tasks were used to make one of the skills.", {
      hint: "Add tasks, or pass --on all; the verdict will then say that these tasks were seen before.",
    });
  }
  throw new WhetstoneError("tasks-invalid", `The ${on} split has no tasks.`, {
    hint: "Choose another split, or add tasks to it.",
  });
}

/** Refuses before the first call if even a candidate that always wins couldn't be called better. */
function refuseImpossible({ tasks, trials }: ClaimSize, alpha: number): void {
  const { possible, bestP, tasksNeeded, trialsNeeded } = claimLimits({ tasks, trials }, alpha);
  if (possible) return;
  const orTrials = trialsNeeded === null ? "" : ` or ${trialsNeeded} trials`;
  throw new WhetstoneError(
    "tasks-invalid",
    `${tasks} tasks with ${trials} trials can't show anything: at best p = ${bestP.toPrecision(2)}, and the threshold is ${alpha}.`,
    { hint: `${tasksNeeded} tasks${orTrials} would be enough. No calls were made.` },
  );
}
