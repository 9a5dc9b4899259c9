import { join } from "node:path";
import { otherFolder } from "../../core/offer/proposal.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { formatUsd } from "../../core/work/spend.ts";
import { addCost, noCost, type Cost } from "../../core/cost.ts";
import type { Role } from "../../core/ports/model.ts";
import { decodeFile } from "../../core/files.ts";
import { shortIdentity, skillIdentity } from "../../core/skill/hash.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import type { ClaimVerdict } from "../../core/gate/claim/claim-verdict.ts";
import type { ArmCosts } from "../../core/measure/arm-costs.ts";
import type { Drift } from "../../core/gate/claim/drift.ts";
import type { Estimate } from "../../core/gate/estimate-score.ts";
import { estimateRate, rateEvidence } from "../../core/measure/estimate-evaluation.ts";
import type { ClaimEvidence, Evidence } from "../../core/evidence.ts";
import type { Evaluation } from "../../core/measure/evaluate.ts";
import { type SealedFigures, sealedSentence } from "../../core/measure/seal.ts";
import type { Trials } from "../../core/measure/trials.ts";
import type { Rolled } from "../../core/stages/rollout.ts";
import { undecidedSentence } from "../../core/search-words.ts";
import type { TrainSettings } from "../../core/settings.ts";
import { taskHash } from "../../core/tasks/task-hash.ts";
import { type StepOutcome, recordStep } from "../../core/loop/step-outcome.ts";
import type { SecondText } from "../../core/loop/gate.ts";
import type { StepRecord } from "../../core/step-record.ts";
import type { TrainResult } from "../../core/loop/train.ts";
import type { RuleTable } from "../../core/rules/rule-table.ts";
import type { TriggerReport } from "../../core/triggers/trigger-figures.ts";
import type { ClaimWord } from "../../core/verdict-words.ts";
import type { ReplyCount } from "../../report/unusable-replies.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";

/** A run's files by path: pure functions of settings, results and seed; no times, absolute paths, or hosts but a claim's. */
export type Artifacts = Readonly<Record<string, Artifact>>;

/** Text, or a skill's file as bytes, with its executable flag. */
export type Artifact = string | { readonly bytes: Uint8Array; readonly isExecutable: boolean };

export async function writeArtifacts(folder: string, artifacts: Artifacts): Promise<void> {
  for (const [path, artifact] of Object.entries(artifacts)) {
    const place = join(folder, path);
    if (typeof artifact === "string") await writeFileAtomic(place, artifact);
    else await writeFileAtomic(place, artifact.bytes, artifact);
  }
}

export function configArtifacts(
  run: string,
  { settings, models, environment, skill, splits }: Resolved,
  leftOut: readonly string[] = [],
): Artifacts {
  const manifest = Object.fromEntries(
    Object.entries(splits).map(([name, tasks]) => [
      name,
      tasks.map((task) => ({ id: task.id, hash: taskHash(task) })),
    ]),
  );
  return {
    "config.json": json({
      run,
      settings,
      models: { target: models.target, optimizer: models.optimizer },
      environment: { name: environment.name, version: environment.version },
      skill: { main: skill.main, hash: skillIdentity(skill) },
      splits: manifest,
      ...(leftOut.length === 0 ? {} : { leftOut }),
    }),
    ...skillFiles("skills/skill_v0000", skill),
  };
}

export function stepArtifacts(record: StepOutcome, snapshots: boolean): Artifacts {
  const folder = `steps/step_${String(record.step - 1).padStart(4, "0")}`;
  const { step, standing } = record;
  return {
    [`${folder}/rollout_results.json`]: json(record.rolled.map(rolledRow)),
    [`${folder}/raw_patches.json`]: json(record.patches),
    [`${folder}/merged_patch.json`]: json(record.merged),
    [`${folder}/ranked_patch.json`]: json(record.selected),
    [`${folder}/edit_apply_report.json`]: json(record.reports),
    ...(record.candidate === undefined ? {} : skillFiles(`${folder}/candidate_skill`, record.candidate)),
    ...(record.evaluation && evaluationFiles(`${folder}/selection_eval`, record.evaluation)),
    [`${folder}/step_record.json`]: json(recordStep(record)),
    ...(snapshots
      ? skillFiles(`skills/skill_v${String(step).padStart(4, "0")}`, standing.current.skill)
      : {}),
  };
}

export interface Summary {
  readonly run: string;
  /** The sealed test's verdict on the best skill; `unchanged` if the original stays, `not-tested` without a test. */
  readonly verdict: ClaimWord | "unchanged" | "not-tested";
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly gate: string;
  readonly steps: number;
  readonly planned: number;
  readonly accepted: number;
  readonly best: {
    readonly step: number;
    readonly hash: string;
    /** Set if it came from guidance after that step. */
    readonly isGuidance?: boolean;
  };
  /** As the gate saw them: a search signal, not a claim. Null with `gate: off`. */
  readonly val: { readonly baseline: number | null; readonly best: number | null };
  /** Mean scores of the sealed test. */
  readonly test?: {
    readonly original: number;
    readonly best: number;
    readonly tasks: number;
    readonly trials: number;
    /** Set if there was no test split, so the few tasks of the search were rolled out once more. */
    readonly seen?: boolean;
  };
  readonly claim?: ClaimVerdict & { readonly read: number };
  /** Ids of test tasks that the original always did well and the best never does. */
  readonly lost?: readonly string[];
  /** The models that answered in the sealed test, as the provider named them. */
  readonly answeredBy?: readonly string[];
  /** How many results of the sealed test came from each host. */
  readonly measuredAt?: Readonly<Record<string, number>>;
  /** Unusable target replies in the sealed test, by arm and kind; missing if there are none. */
  readonly unusable?: ClaimEvidence["unusable"];
  /** Ids of test tasks whose results may still come; missing if there are none. */
  readonly missing?: readonly string[];
  /** Ids of tasks left out of the run by a person; a claim counts them as lost. */
  readonly leftOut?: readonly string[];
  /** Set if the target itself drifted during the run. */
  readonly drift?: Drift;
  /** Usage per rollout with the original and the best, in the sealed test; missing if it wasn't counted. */
  readonly perRollout?: ArmCosts | undefined;
  /** Hard scores, one trial each, on test (or val without one): context, not claims. */
  readonly baselines?: { readonly noSkill: Estimate | null; readonly oneShot: Estimate | null };
  /** A one-shot rewrite that passed more test tasks than the search's final text, whose score is `final`. Unproven. */
  readonly oneShot?: { readonly score: number; readonly final: number; readonly sentence: string };
  /** The lean or the full text, whichever isn't proposed. */
  readonly other?: Omit<SecondText, "skill">;
  /** The worth of each rule, with the gate `rules`. */
  readonly rules?: RuleTable;
  /** On the description track: precision and recall, with their counts. */
  readonly triggers?: TriggerReport;
  /** Why the search ended before its last step. */
  readonly ended?: string;
  /** How many rules the search left undecided, and how to continue; missing if there are none. */
  readonly undecided?: string;
  /** The number of candidates that the gate judged; if it's zero, nothing was tried. */
  readonly judged: number;
  /** Unusable replies, most frequent first; missing if there are none. */
  readonly replies?: readonly Omit<ReplyCount, "message">[];
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export function summarize(
  run: string,
  result: TrainResult,
  cost: Summary["cost"],
  settings: Pick<TrainSettings, "gate" | "more">,
): Summary {
  const { best, baselineScore, steps, epochs, sealed, oneShot } = result;
  const { rules, triggers, ended, planned, other } = result;
  const undecided = rules && !result.isOver ? undecidedSentence(rules.table, settings) : undefined;
  const isOwn = steps.some(({ step, action }) => step === best.step && action.startsWith("accept"));
  return {
    run,
    verdict: verdictOf(result),
    sentence: sealedSentence(sealed),
    gate: settings.gate,
    steps: steps.length,
    planned,
    accepted: steps.filter(({ action }) => action.startsWith("accept")).length,
    judged: steps.filter(({ action }) => action !== "skip").length + epochs.length,
    best: {
      step: best.step,
      hash: shortIdentity(best.skill),
      ...(rules !== undefined || best.step === 0 || isOwn ? {} : { isGuidance: true }),
    },
    val: { baseline: baselineScore, best: best.score },
    ...(sealed?.kind === "claimed" ? sealedPart(sealed) : {}),
    ...baselinesPart(evidenceOf(result)),
    ...(oneShot?.isOffered === true
      ? { oneShot: { score: oneShot.score, final: oneShot.final, sentence: oneShot.sentence } }
      : {}),
    ...(other && { other: secondPart(other) }),
    ...(triggers === undefined ? {} : { triggers }),
    ...(rules === undefined ? {} : { rules: rules.table }),
    ...(ended === undefined ? {} : { ended }),
    ...(undecided === undefined ? {} : { undecided }),
    cost,
  };
}

function verdictOf({ original, best, sealed }: TrainResult): Summary["verdict"] {
  if (skillIdentity(original) === skillIdentity(best.skill)) return "unchanged";
  return sealed?.kind === "claimed" ? sealed.claim.verdict : "not-tested";
}

/** The sealed test's part of a summary. */
export const sealedPart = ({
  claim,
  trials,
  read,
  fallen,
  models,
  hosts,
  unusable,
  missing,
  drift,
  perRollout,
  seen,
}: SealedFigures): Pick<
  Summary,
  "test" | "claim" | "lost" | "answeredBy" | "measuredAt" | "unusable" | "missing" | "drift" | "perRollout"
> => ({
  test: {
    original: claim.before,
    best: claim.after,
    tasks: claim.tasks,
    trials,
    ...(seen && { seen: true }),
  },
  claim: { ...claim, read },
  lost: fallen,
  answeredBy: models,
  measuredAt: hosts,
  ...(unusable === undefined ? {} : { unusable }),
  ...(missing.length === 0 ? {} : { missing }),
  drift,
  perRollout,
});

/** Both baselines' part of a summary. */
export function baselinesPart({ rates = {} }: Evidence): Pick<Summary, "baselines"> {
  const { baseline_no_skill: noSkill, baseline_one_shot: oneShot } = rates;
  if (noSkill === undefined) return {};
  return {
    baselines: {
      noSkill: estimateRate(noSkill),
      oneShot: oneShot === undefined ? null : estimateRate(oneShot),
    },
  };
}

/** The data behind the figures of a training. */
export const evidenceOf = ({ sealed, baselines }: Pick<TrainResult, "sealed" | "baselines">): Evidence => ({
  ...(sealed?.kind === "claimed" ? { claim: sealed.evidence } : {}),
  ...(baselines === undefined
    ? {}
    : {
        rates: {
          baseline_no_skill: rateEvidence(baselines.noSkill),
          ...(baselines.oneShot === undefined ? {} : { baseline_one_shot: rateEvidence(baselines.oneShot) }),
        },
      }),
});

export type PricedCost = Cost & { readonly usd: string };

/** Costs by role and in total, each with a readable price. */
export function priceCosts(
  costs: Readonly<Partial<Record<Role, Cost>>>,
): Readonly<Partial<Record<Role | "total", PricedCost>>> {
  const withUsd = (cost: Cost): PricedCost => ({ ...cost, usd: formatUsd(cost.nanoUsd) });
  const roles = Object.entries(costs).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...Object.fromEntries(roles.map(([role, cost]) => [role, withUsd(cost)])),
    total: withUsd(roles.map(([, cost]) => cost).reduce(addCost, noCost)),
  };
}

function secondPart(text: SecondText): Summary["other"] {
  const { skill: _, ...other } = text;
  return other;
}

export function resultArtifacts(result: TrainResult): Artifacts {
  const { baseline, sealed, baselines, oneShot, other, rules, confirmed } = result;
  return {
    ...(rules === undefined ? {} : { "rules.json": json(rules.table) }),
    ...(confirmed.length === 0
      ? {}
      : evaluationFiles("selection_eval_best", { rolled: confirmed, pending: 0 })),
    ...skillFiles("best_skill", result.best.skill),
    ...skillFiles("current_skill", result.current.skill),
    ...(oneShot === undefined ? {} : skillFiles(otherFolder("one-shot"), oneShot.skill)),
    ...(other && skillFiles(otherFolder(other.name), other.skill)),
    "history.json": json({ steps: result.steps.map(historyRow), epochs: result.epochs }),
    ...(baseline === undefined ? {} : evaluationFiles("selection_eval_baseline", baseline)),
    ...(sealed?.kind === "claimed"
      ? { ...trialFiles("test_eval_baseline", sealed.original), ...trialFiles("test_eval_best", sealed.best) }
      : {}),
    ...(baselines === undefined ? {} : evaluationFiles("baseline_no_skill", baselines.noSkill)),
    ...(baselines?.oneShot === undefined ? {} : evaluationFiles("baseline_one_shot", baselines.oneShot)),
  };
}

const historyRow = ({ score, evidence, current, best, ...rest }: StepRecord) => ({
  ...rest,
  score: score ?? undefined,
  currentScore: current.score,
  bestScore: best.score,
  evidence: evidence ?? undefined,
});

/** One arm of a claim, trial by trial. */
export function trialFiles(folder: string, { rolled, scores }: Trials): Artifacts {
  return {
    [`${folder}/results.json`]: json({
      tasks: scores.length,
      trials: rolled.map((trial) => trial.map(rolledRow)),
    }),
  };
}

export function evaluationFiles(folder: string, evaluation: Evaluation): Artifacts {
  const { score, pending, rolled } = evaluation;
  return {
    [`${folder}/results.json`]: json({
      tasks: rolled.length,
      pending,
      hard: score?.hard ?? null,
      soft: score?.soft ?? null,
      results: rolled.map(rolledRow),
    }),
  };
}

function rolledRow({ task, outcome, rules }: Rolled) {
  if (outcome.kind === "pending") return { id: task.id, rules, pending: outcome.cause.class };
  const { hard, soft, feedback, checks, conversation, extras, reply } = outcome;
  return {
    id: task.id,
    rules,
    hard,
    soft,
    feedback,
    checks,
    conversation,
    extras,
    reply,
  };
}

/** A skill with one file becomes a file, `best_skill.md`; one with several becomes a folder, `best_skill/`. */
export function skillFiles(name: string, skill: Skill): Artifacts {
  const paths = Object.keys(skill.files).toSorted();
  if (paths.length === 1) return { [`${name}.md`]: mainText(skill) };
  const executable = new Set(skill.executable);
  return Object.fromEntries(
    paths.map((path) => [
      `${name}/${path}`,
      { bytes: decodeFile(skill.files[path] ?? ""), isExecutable: executable.has(path) },
    ]),
  );
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
