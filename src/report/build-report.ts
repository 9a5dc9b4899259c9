import type { ClaimFacts } from "../core/verdict-words.ts";
import { estimateScore, estimateShare } from "../core/gate/estimate-score.ts";
import { type GateGround, estimateCandidate, gateReport } from "./gate-report.ts";
import {
  type RuleReport,
  type RunReport,
  type SealedReport,
  type StepPoint,
  type StepReport,
  reportVersion,
} from "./model.ts";
import { countEdits } from "../core/refusal-words.ts";
import type { EndedStep } from "../core/step-record.ts";
import { liveProgress } from "./live-progress.ts";
import { isRulesGate, measuredRules } from "./measured-rules.ts";
import type { ResultSet, RunFolder, StepFolder } from "./run-folder.ts";
import { runOverview, summaryOf } from "./run-overview.ts";
import type { RunState } from "./run-state.ts";
import { type ScoreWeights, byHard, taskMeans } from "./task-means.ts";
import { taskTables } from "./task-reports.ts";
import { listVersions } from "./versions.ts";
import { estimateTokens } from "../core/work/estimate-tokens.ts";
import type { Edit } from "../core/skill/edit.ts";
import type { Skill } from "../core/skill/skill.ts";
import { readDescription } from "../core/triggers/description.ts";

/** Everything about a run, from its events and artifacts. */
export function buildReport(state: RunState, folder: RunFolder, now = state.at): RunReport {
  const versions = listVersions(folder);
  const steps = stepPoints(state, folder);
  const sealed = sealedReport(state, folder);
  const { baseline, summary, stageCosts, timeline, failures, replies } = state;
  const baselines = (summary as { baselines?: RunReport["baselines"] } | undefined)?.baselines;
  return {
    v: reportVersion,
    seq: state.seq,
    overview: runOverview(state),
    settings: state.settings,
    baseline: baseline === undefined ? undefined : estimateShare(baseline, measuredTasks(state)),
    steps,
    end: endOf(state),
    sealed,
    baselines,
    costs: stageCosts,
    timeline,
    ...(state.status === "running" ? { live: liveProgress(state, now) } : {}),
    failures,
    replies,
    versions: versions.list,
    rules: rulesOf(state, folder, steps),
    epochs: folder.epochs,
    ...taskTables(folder, versions),
    summary,
    evidence: state.evidence,
  };
}

function endOf({ turns }: RunState): RunReport["end"] {
  const end = turns.find(({ turn }) => turn === "end");
  return end && { sentence: end.reason, action: end.action, score: end.score };
}

/** One step in full, from the run's report and the step's own files; undefined before it has ended. */
export function buildStep(
  report: RunReport,
  step: number,
  found: StepFolder | undefined,
): StepReport | undefined {
  const point = report.steps.find((one) => one.step === step);
  if (point === undefined) return undefined;
  const gate = found === undefined ? undefined : gateReport(found, groundOf(report));
  return {
    ...point,
    analysts: found?.patches ?? [],
    merged: found?.merged ?? [],
    selected: found?.selected ?? [],
    edits: found?.reports ?? [],
    gate,
  };
}

// all steps of a report share this data
const grounds = new WeakMap<RunReport, GateGround>();

function groundOf(report: RunReport): GateGround {
  const known = grounds.get(report);
  if (known !== undefined) return known;
  const { tasks, steps, settings } = report;
  const ground: GateGround = {
    val: tasks.filter(({ split }) => split === "val").map(({ id }) => id),
    steps,
    results: resultSets(report),
    scoring: scoringOf({ settings }),
  };
  grounds.set(report, ground);
  return ground;
}

/** The results of a report as in the run's folder, without the inputs. */
export const resultSets = ({ tasks, evaluations }: Pick<RunReport, "tasks" | "evaluations">) =>
  evaluations.map(({ name, stage, step, task, trial, hard, soft = hard, texts, text }): ResultSet => {
    const ids = task.map((place) => tasks[place]?.id ?? "");
    const rules = text === undefined ? {} : { rules: text.map((place) => texts?.[place] ?? []) };
    return { name, stage, step, ids, trial, hard, soft, inputs: new Map(), ...rules };
  });

/** Training measures the original on val, an evaluation on its one split. */
const measuredTasks = ({ command, tasks }: RunState): number =>
  command === "train" ? tasks.val : tasks.train + tasks.val + tasks.test;

/** From events. Steps of an earlier execution that the latest one hasn't reached again come from artifacts. */
function stepPoints(state: RunState, folder: RunFolder): readonly StepPoint[] {
  const ended = new Map<number, EndedStep>();
  for (const found of folder.steps) ended.set(found.step, { ...found, ...countEdits(found.reports) });
  for (const row of state.rows) ended.set(row.step, row);
  const { splits, steps, results } = folder;
  const ground = { val: splits.val, steps, results, scoring: scoringOf(state) };
  return [...ended.values()]
    .toSorted((a, b) => a.step - b.step)
    .map(({ step, epoch, budget, action, reason, edits, refused, refusals, current, best }) => {
      const found = steps.find((one) => one.step === step);
      return {
        step,
        epoch,
        budget,
        action,
        reason,
        applied: edits,
        refused,
        refusals,
        incumbent: current.score ?? undefined,
        best: best.score ?? undefined,
        candidate: found === undefined ? undefined : estimateCandidate(found, ground),
      };
    });
}

export function scoringOf({ settings }: Pick<RunState, "settings">): ScoreWeights {
  const { metric, mixedWeight } = settings as unknown as Partial<ScoreWeights>;
  return metric === undefined ? byHard : { metric, mixedWeight: mixedWeight ?? 0.5 };
}

/** Both arms of a sealed test or of a comparison. */
export function sealedReport(
  state: Pick<RunState, "command" | "status" | "summary" | "settings">,
  { results }: Pick<RunFolder, "results">,
): SealedReport | undefined {
  const { claim, perRollout } = summaryOf(state) ?? {};
  const constant = claim?.constant?.best;
  const scoring = scoringOf(state);
  const named = (name: string): readonly ResultSet[] => results.filter((set) => set.name === name);
  const pairs = [
    [named("test_eval_baseline"), named("test_eval_best")],
    [named("eval_before"), named("eval_after")],
    ...(state.command === "prune"
      ? [[named("selection_eval_baseline"), named("selection_eval_best")] as const]
      : []),
  ] as const;
  const [before = [], after = []] = pairs.find(([one]) => one.length > 0) ?? [];
  const [one, other] = [taskMeans(before, scoring), taskMeans(after, scoring)];
  // the claim's own weighted means, if there is a claim
  const arm = (means: typeof one, value: number | undefined) => {
    const estimate = estimateScore([...means.values()]);
    return estimate === undefined || value === undefined ? estimate : { ...estimate, value };
  };
  const original = arm(one, claim?.before);
  if (original === undefined) return undefined;
  const best = arm(other, claim?.after);
  const signs = [...one].flatMap(([id, mean]) => {
    const now = other.get(id);
    return now === undefined ? [] : [Math.sign(now - mean)];
  });
  const count = (sign: number) => signs.filter((each) => each === sign).length;
  return {
    original,
    best,
    verdict: claim?.verdict,
    ...(claim === undefined ? {} : testedSide(claim)),
    read: claim?.read,
    trials: before.reduce((most, { trial }) => trial.reduce((a, b) => Math.max(a, b + 1), most), 0),
    ...(claim?.leftOut === undefined ? {} : { leftOut: claim.leftOut }),
    wins: claim?.wins ?? count(1),
    losses: claim?.losses ?? count(-1),
    ties: claim?.ties ?? count(0),
    ...(perRollout === undefined ? {} : { perRollout }),
    ...(constant === undefined ? {} : { constant }),
  };
}

/** The p and threshold of the side that the later skill is on. */
const testedSide = ({ difference, p, pWorse, alpha, alphaWorse = alpha }: ClaimFacts) =>
  difference < 0 ? { p: pWorse, alpha: alphaWorse } : { p, alpha };

function rulesOf(state: RunState, folder: RunFolder, steps: readonly StepPoint[]): readonly RuleReport[] {
  // the summary already has a table of rules
  if (state.command === "prune" || measuredRules(state.summary) !== undefined) return [];
  // if rules are measured one by one, a step's score doesn't belong to any of them
  return isRulesGate(state.settings)
    ? ruleReports(folder, [], undefined)
    : ruleReports(folder, steps, state.baseline);
}

/** Rules from accepted edits that are still in the final skill (or still deleted from it). */
function ruleReports(
  { steps, best, splits }: Pick<RunFolder, "steps" | "best" | "splits">,
  points: readonly StepPoint[],
  baseline: number | undefined,
): readonly RuleReport[] {
  const final = best ?? steps.findLast(({ snapshot }) => snapshot !== undefined)?.snapshot;
  if (final === undefined) return [];
  const known = new Set(splits.train);
  return steps
    .filter(({ action }) => action.startsWith("accept"))
    .flatMap((step) => {
      const before = points.findLast((point) => point.step < step.step)?.incumbent ?? baseline;
      const after = points.find((point) => point.step === step.step)?.incumbent;
      return appliedEdits(step)
        .filter((edit) => isInForce(edit, final))
        .map((edit): RuleReport => {
          const text = (edit.op === "delete" ? edit.target : edit.content)?.trim() ?? "";
          return {
            file: edit.file ?? final.main,
            text,
            tokens: estimateTokens(text),
            op: edit.op,
            step: step.step,
            source: edit.source,
            evidence: edit.evidence.filter((id) => known.size === 0 || known.has(id)),
            before,
            after,
          };
        });
    });
}

/** Reports come in the order of the edits. */
const appliedEdits = ({ selected, reports }: StepFolder): readonly Edit[] =>
  selected.filter((_, at) => reports[at]?.applied === true);

function isInForce({ op, file, target = "", content = "" }: Edit, final: Skill): boolean {
  const text = textOf(file ?? final.main, final);
  return op === "delete" ? !text.includes(target.trim()) : content.trim() !== "" && holds(text, content);
}

/** On the description track, the description is its own document. */
const textOf = (file: string, skill: Skill): string =>
  skill.files[file] ?? (file === "description" ? readDescription(skill) : (skill.files[skill.main] ?? ""));

const holds = (text: string, content: string): boolean => flat(text).includes(flat(content));

/** Line ends and indentation aren't part of a rule. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
