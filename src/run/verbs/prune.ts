import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { lossLimits } from "../../core/gate/claim/non-inferiority.ts";
import type { Role } from "../../core/ports/model.ts";
import type { ProposalInput } from "../../core/offer/proposal.ts";
import type { ArmCosts } from "../../core/measure/arm-costs.ts";
import { type SkillPart, findRules } from "../../core/rules/prune/find-rules.ts";
import { prunedRules } from "../../core/rules/prune/pruned-rules.ts";
import {
  type PruneVerdict,
  type PrunedFacts,
  pruneSentence,
  pruneVerdict,
} from "../../core/rules/prune/prune-sentence.ts";
import { type EarlierSkill, type PruneResult, pruneSkill } from "../../core/rules/prune/prune.ts";
import { type LossFound, type TestedLoss, mostTrials } from "../../core/rules/prune/test-loss.ts";
import { shortIdentity, skillIdentity } from "../../core/skill/hash.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { PruneFigures } from "../../report/prune-figures.ts";
import { type Artifacts, type PricedCost, skillFiles, trialFiles } from "../reports/artifacts.ts";
import { findEarlier } from "../offer/find-earlier.ts";
import { readRun, readSkills, recordFolder } from "../reports/runs.ts";
import { formatUsd } from "../../core/work/spend.ts";
import type { CallOptions, MaybeOpened, Opened } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { performCall } from "./perform.ts";
import type { Performed, Verb } from "./verb.ts";

export interface PruneOptions extends CallOptions {
  /** A proposal must rule out a loss of mean score this large, in points. @default 5 */
  readonly margin?: number;
  /** Only tests rules that the skill didn't have before this run, named by the beginning of its id. */
  readonly since?: string;
}

export interface PruneOrder {
  /** A proposal must rule out a loss of mean score this large. */
  readonly margin: number;
  /** Only rules that this earlier version didn't have are tested. */
  readonly since?: Skill | undefined;
  /** The skill that the margin counts from, if prunings were adopted since. */
  readonly earlier?: EarlierSkill | undefined;
}

export interface PruneSummary extends PruneFigures {
  readonly run: string;
  /** `not-worse`: shown by a sealed test; `no-loss`: only on these tasks; `not-tested`: no test; `unchanged`: no proposal. */
  readonly verdict: PruneVerdict;
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly best: { readonly hash: string };
  /** Usage per rollout before and after, from the last test; missing if there was none. */
  readonly perRollout?: ArmCosts | undefined;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type PruneRun = Performed<PruneResult, PruneSummary>;

/**
 * Measures what each rule of a skill is worth, and proposes to remove those that nobody would miss. The margin counts from
 * the skill before the last adopted prunings, so many prunings together can't lose more than one. Calling it again
 * resumes, or returns the finished result.
 *
 * @example
 * const { summary } = await prune({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 * console.log(summary.sentence, summary.table);
 */
export const prune = ({ margin, since, ...options }: PruneOptions): Promise<PruneRun> =>
  performCall(options, ["target"], (opened) => openPrune({ margin, since }, opened));

/** The pruning that a call asks for. */
export async function openPrune(
  { margin = 5, since }: Pick<PruneOptions, "margin" | "since">,
  { resolved, journal }: MaybeOpened,
): Promise<Verb<PruneResult, PruneSummary>> {
  const before =
    since === undefined || journal === undefined
      ? undefined
      : await readOriginal({ journal, resolved }, since);
  const earlier = journal === undefined ? undefined : await findEarlier(resolved, journal);
  return pruneVerb(resolved, { margin: margin / 100, since: before, earlier });
}

/** Finds out which rules are worth their tokens, and ends in a proposal, as training does. */
export function pruneVerb(given: Resolved, order: PruneOrder): Verb<PruneResult, PruneSummary> {
  const { margin, since, earlier } = order;
  const resolved = onlyWhatCounts(given);
  const { skill } = resolved;
  const { val, test } = resolved.splits;
  const rules = findRules(skill, since);
  refuseImpossible(resolved, rules, order);
  return {
    command: "prune",
    roles: ["target"],
    resolved,
    id: runId("prune", resolved, {
      margin,
      rules: rules.map(({ id }) => id),
      ...(earlier === undefined ? {} : { from: skillIdentity(earlier.skill) }),
    }),
    claims: [...val, ...test],
    proposes: true,
    announce({ rollouts, price }) {
      return `${rules.length} rules, ${val.length} val tasks: ${rollouts.low} to ${rollouts.high} rollouts, ${formatUsd(price.low)} to ${formatUsd(price.high)}; more if many rules can go`;
    },
    run: (context) => pruneSkill({ skill, rules, val, test, margin, earlier }, context),
    tell(result, { run, cost }) {
      const summary = summarize(run, margin, result, cost);
      const { sentence } = summary;
      const { original, best, table, val: tested, sealed } = result;
      const proposal = proposalOf(summary, { original, best, rules: prunedRules(rules, table) });
      const evidence = {
        ...(tested === undefined ? {} : { val: tested.evidence }),
        ...(sealed === undefined ? {} : { test: sealed.evidence }),
      };
      return { sentence, summary, artifacts: artifactsOf(summary, result), evidence, proposal };
    },
  };
}

/** The skill that a run was started from. */
async function readOriginal(
  { journal, resolved: { journalDir, skill } }: Opened,
  id: string,
): Promise<Skill> {
  const state = await readRun(journal, id);
  const folder = recordFolder(journalDir, state);
  const found = await readSkills(folder);
  if (found === undefined)
    throw new WhetstoneError("not-found", `The skill that run ${state.run} began with isn't in ${folder}.`, {
      hint: "Run that command again: it rewrites its artifacts, and a finished run isn't paid for twice.",
    });
  const { main, files } = skill;
  const isSingle = found.length === 1 && Object.keys(files).length === 1;
  return {
    main,
    files: Object.fromEntries(found.map(({ path, before }) => [isSingle ? main : path, before])),
  };
}

/** The optimizer isn't asked and train tasks aren't run, so neither is part of the run's identity. */
function onlyWhatCounts(given: Resolved): Resolved {
  const models = { ...given.models, optimizer: given.models.target };
  return { ...given, models, splits: { ...given.splits, train: [] } };
}

/** Everything that is known to fail before the first call. */
function refuseImpossible(
  { settings, splits, skill }: Resolved,
  rules: readonly SkillPart[],
  order: PruneOrder,
): void {
  const { margin, since } = order;
  if (settings.track === "description")
    throw new WhetstoneError("usage", "A description has no rules to prune.", {
      hint: "To prune the body, leave out --track.",
    });
  if (!(margin > 0 && margin < 1))
    throw new WhetstoneError("usage", `A margin of ${100 * margin} points can't be tested.`, {
      hint: "Give a number of points above 0 and below 100, such as --margin 5.",
    });
  if (rules.length === 0)
    throw new WhetstoneError(
      "skill-invalid",
      `No rules were found in ${skill.main}${since === undefined ? "" : " that the earlier version didn't have"}.`,
      {
        hint: "Rules are list items and paragraphs below headings. Without --since, all of them are tested.",
      },
    );
  const tasks = splits.val.length;
  if (tasks === 0)
    throw new WhetstoneError("tasks-invalid", "The val split has no tasks.", {
      hint: "Rules are measured on val, so add tasks to it.",
    });
  const limits = lossLimits({ tasks, margin, alpha: settings.sealedAlpha, most: mostTrials });
  if (limits.possible) return;
  throw new WhetstoneError(
    "tasks-invalid",
    `${tasks} val tasks can't rule out a loss of ${100 * margin} points, even if ${mostTrials} trials of each show no difference.`,
    { hint: `${limits.tasksNeeded} val tasks or a wider --margin would be enough. No calls were made.` },
  );
}

function summarize(
  run: string,
  margin: number,
  result: PruneResult,
  cost: PruneSummary["cost"],
): PruneSummary {
  const { table, tokens, flipRate, prunings, best } = result;
  return {
    run,
    ...prunedPart(result),
    margin,
    rules: table.length,
    removed: table.filter(({ fate }) => fate === "removed").length,
    tokens,
    flipRate,
    prunings,
    best: { hash: shortIdentity(best) },
    table,
    cost,
  };
}

/** The part of a summary about the tests on val and test. */
export function prunedPart(
  found: PrunedFacts,
): Pick<PruneSummary, "verdict" | "sentence" | "val" | "test" | "perRollout"> {
  const { val, sealed } = found;
  return {
    verdict: pruneVerdict(found),
    sentence: pruneSentence(found),
    val: val && figuresOf(val),
    test: sealed && figuresOf(sealed),
    perRollout: (sealed ?? val)?.perRollout,
  };
}

function figuresOf<Loss extends LossFound>(
  loss: Loss,
): Omit<Loss, "before" | "after" | "evidence" | "perRollout"> {
  const { perRollout: _, ...figures } = loss;
  const { before: __, after: ___, evidence: ____, ...shown } = figures as Partial<TestedLoss>;
  return shown as Omit<Loss, "before" | "after" | "evidence" | "perRollout">;
}

function artifactsOf(summary: PruneSummary, { best, val, sealed }: PruneResult): Artifacts {
  const { run, table, cost: _, perRollout: __, ...head } = summary;
  return {
    ...skillFiles("best_skill", best),
    "prune.json": `${JSON.stringify({ run, ...head, table }, null, 2)}\n`,
    ...(val === undefined || val.trials === 0 ? {} : armFiles("selection_eval", val)),
    ...(sealed === undefined ? {} : armFiles("test_eval", sealed)),
  };
}

const armFiles = (name: string, { before, after }: TestedLoss): Artifacts => ({
  ...trialFiles(`${name}_baseline`, before),
  ...trialFiles(`${name}_best`, after),
});

function proposalOf(
  { run, verdict, sentence, perRollout }: PruneSummary,
  written: Pick<ProposalInput, "original" | "best" | "rules">,
): ProposalInput {
  const change = { run, ...written };
  return verdict === "not-tested" || verdict === "unchanged"
    ? { ...change, reason: sentence }
    : { ...change, sealed: { verdict, sentence, perRollout } };
}
