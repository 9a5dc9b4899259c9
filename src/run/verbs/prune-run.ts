import { join } from "node:path";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { lossLimits } from "../../core/gate/claim/non-inferiority.ts";
import type { Json } from "../../core/json.ts";
import type { Cost } from "../../core/cost.ts";
import type { Role } from "../../core/ports/model.ts";
import type { ProposalInput } from "../../core/proposal/proposal.ts";
import { type SkillRule, findRules } from "../../core/prune/find-rules.ts";
import { type JudgedLoss, type SealedLoss, mostTrials } from "../../core/prune/judge-loss.ts";
import { type PruneVerdict, pruneSentence, pruneVerdict } from "../../core/prune/prune-sentence.ts";
import { type PruneResult, type RuleEstimate, pruneSkill } from "../../core/prune/prune.ts";
import { shortIdentity } from "../../core/skill/hash.ts";
import type { Skill } from "../../core/skill/skill.ts";
import {
  type Artifacts,
  type PricedCost,
  configArtifacts,
  priceCosts,
  skillFiles,
  trialFiles,
} from "../reports/artifacts.ts";
import { calibrateFirst, calledRoles } from "../session/calibrate-judge.ts";
import { writeTarget } from "../adopt/live-skill.ts";
import { planPrune } from "./plan-prune.ts";
import { preflight } from "../session/preflight.ts";
import { proposalArtifacts } from "../adopt/proposal.ts";
import { runId } from "../session/run-id.ts";
import { type RunOptions, runInSession } from "../session/run-in-session.ts";
import { startEvent } from "../session/start-event.ts";
import { refuseUnknownPrices } from "./train-run.ts";
import { tryChecksFirst } from "../session/try-checks-first.ts";

export interface PruneOrder {
  /** The loss of mean score that a proposal may not have. */
  readonly margin: number;
  readonly shorten: boolean;
  /** Only what this earlier version did not say is in question. */
  readonly since?: Skill;
}

export interface PruneSummary {
  readonly run: string;
  /** `not-worse` when a sealed test shows it; `not-tested` without one; `unchanged` when nothing is proposed. */
  readonly verdict: PruneVerdict;
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly margin: number;
  readonly rules: number;
  readonly removed: number;
  readonly shortened: number;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly flipRate: number | null;
  readonly val?: LossFigures;
  readonly test?: LossFigures & { readonly read: number };
  readonly best: { readonly hash: string };
  readonly table: readonly RuleEstimate[];
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type LossFigures = Omit<JudgedLoss, "before" | "after">;

export interface PruneRun {
  readonly id: string;
  readonly folder: string;
  readonly summary: PruneSummary;
  readonly result: PruneResult;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
}

/** Prunes, or goes on pruning, a skill. It ends in a proposal, as training does. */
export async function pruneRun(given: Resolved, order: PruneOrder, options: RunOptions): Promise<PruneRun> {
  const { margin, shorten, since } = order;
  const resolved = onlyWhatCounts(given, shorten);
  const { skill, splits, settings } = resolved;
  refuseUnknownPrices(resolved, shorten ? ["target", "optimizer"] : ["target"]);
  const rules = findRules(skill, since);
  refuseImpossible(resolved, rules, order);
  const more = { margin, shorten, rules: rules.map(({ id }) => id) };
  const run = runId("prune", resolved, more);
  const { val, test } = splits;
  const size = {
    rules,
    val: val.length,
    test: settings.evalTest ? test.length : 0,
    trials: settings.trials,
    shorten,
  };
  const plan = await planPrune(resolved, size, options.journal);
  const folder = resolved.out ?? join(resolved.journalDir, "runs", run);
  return runInSession({ run, folder, resolved }, options, async (session, write) => {
    const { context, spend, finishedBefore } = session;
    const roles: readonly Role[] = shorten ? ["target", "optimizer"] : ["target"];
    context.emit(startEvent({ command: "prune", roles, folder }, resolved, session));
    const { message, calls, nanoUsd } = plan;
    context.emit({ type: "plan", message, calls, nanoUsd });
    await write(configArtifacts(run, resolved));
    if (options.artifacts !== false) await writeTarget(run, resolved);
    await tryChecksFirst([...val, ...test], resolved, context);
    await resolved.environment.setup?.();
    await preflight(calledRoles(roles, resolved), context, resolved);
    await calibrateFirst(resolved, context);
    const result = await pruneSkill({ skill, rules, val, test, margin, shorten }, context);
    const summary = summarize(run, margin, result, priceCosts(session.costByRole()));
    await write(artifactsOf(summary, result));
    context.emit({
      type: "run-end",
      status: "done",
      message: summary.sentence,
      summary: summary as unknown as Json,
      cost: spend.spent(),
    });
    return { id: run, folder, summary, result, spent: spend.spent(), finishedBefore };
  });
}

/** Who is not asked, and what is not run, is no part of the run's identity. */
function onlyWhatCounts(given: Resolved, shorten: boolean): Resolved {
  const models = shorten ? given.models : { ...given.models, optimizer: given.models.target };
  return { ...given, models, splits: { ...given.splits, train: [] } };
}

/** All that can be known to fail before the first call. */
function refuseImpossible(
  { settings, splits, skill }: Resolved,
  rules: readonly SkillRule[],
  order: PruneOrder,
): void {
  const { margin, since } = order;
  if (settings.track === "description")
    throw new WhetstoneError("usage", "A description has no rules that could be pruned.", {
      hint: "Prune the body: leave --track out.",
    });
  if (!(margin > 0 && margin < 1))
    throw new WhetstoneError("usage", `The margin is ${100 * margin} points, which is no loss to rule out.`, {
      hint: "Give a number of points above 0 and below 100, such as --margin 5.",
    });
  if (rules.length === 0)
    throw new WhetstoneError(
      "skill-invalid",
      `No rules were found in ${skill.main}${since === undefined ? "" : " that the earlier version did not have"}.`,
      {
        hint: "Rules are list items and paragraphs below the headings. Without --since, all of them are in question.",
      },
    );
  const tasks = splits.val.length;
  if (tasks === 0)
    throw new WhetstoneError("tasks-invalid", "The val split has no tasks.", {
      hint: "Rules are measured on val: add tasks to it.",
    });
  const limits = lossLimits({ tasks, margin, alpha: settings.sealedAlpha, most: mostTrials });
  if (limits.possible) return;
  throw new WhetstoneError(
    "tasks-invalid",
    `${tasks} val tasks cannot rule out a loss of ${100 * margin} points: not even ${mostTrials} trials of each without one difference would.`,
    { hint: `${limits.tasksNeeded} val tasks, or a wider --margin, would do. Nothing was called.` },
  );
}

function summarize(
  run: string,
  margin: number,
  result: PruneResult,
  cost: PruneSummary["cost"],
): PruneSummary {
  const { table, tokens, flipRate, val, sealed, best } = result;
  const count = (fate: RuleEstimate["fate"]) => table.filter((row) => row.fate === fate).length;
  return {
    run,
    verdict: pruneVerdict(result),
    sentence: pruneSentence(result),
    margin,
    rules: table.length,
    removed: count("removed"),
    shortened: count("shortened"),
    tokens,
    flipRate,
    ...(val === undefined ? {} : { val: figuresOf(val) }),
    ...(sealed === undefined ? {} : { test: figuresOf(sealed) }),
    best: { hash: shortIdentity(best) },
    table,
    cost,
  };
}

function figuresOf<Loss extends JudgedLoss | SealedLoss>(loss: Loss): Omit<Loss, "before" | "after"> {
  const { before: _, after: __, ...figures } = loss;
  return figures;
}

function artifactsOf(summary: PruneSummary, { best, original, val, sealed }: PruneResult): Artifacts {
  const { run, table, cost: _, ...head } = summary;
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    ...skillFiles("best_skill", best),
    "prune.json": json({ run, ...head, table }),
    "summary.json": json(summary),
    ...(val === undefined || val.trials === 0 ? {} : armFiles("selection_eval", val)),
    ...(sealed === undefined ? {} : armFiles("test_eval", sealed)),
    ...proposalArtifacts(offerOf(summary, original, best)),
  };
}

const armFiles = (name: string, { before, after }: JudgedLoss): Artifacts => ({
  ...trialFiles(`${name}_baseline`, before),
  ...trialFiles(`${name}_best`, after),
});

function offerOf({ run, verdict, sentence }: PruneSummary, original: Skill, best: Skill): ProposalInput {
  if (verdict === "not-worse" || verdict === "not-proven")
    return { run, original, best, sealed: { verdict, sentence } };
  return { run, original, best, reason: sentence };
}
