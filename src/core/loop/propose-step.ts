import type { Context } from "../context.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { checkReplies, unusableReplies } from "../measure/check-replies.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import type { Place, Stage } from "../place.ts";
import type { EditReport } from "../skill/apply-edits.ts";
import { type Edit, type Patch, type RawPatch, editKey } from "../skill/edit.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { type MergedPatch, aggregate } from "../stages/aggregate.ts";
import { select } from "../stages/select.ts";
import { guardEdits } from "../stages/guard-edits.ts";
import { type TriedEdit, type TriedStep, contractSection, contractsOf } from "../stages/optimizer-text.ts";
import { allPatches } from "../stages/reflect.ts";
import type { Rolled } from "../stages/rollout.ts";
import { study } from "../stages/study.ts";
import { timed } from "../stages/timed.ts";
import { update } from "../stages/update.ts";
import type { Change } from "../rules/search-rule.ts";
import type { Candidates } from "./gate.ts";
import type { Turn } from "./turns.ts";

export interface ProposeInput {
  readonly turn: Turn & { readonly kind: "step" };
  readonly incumbent: Skill;
  /** Numbers of the rules in it. */
  readonly on: readonly number[];
  readonly tried: readonly TriedStep[];
  /** Consecutive earlier steps in which no proposed edit could be applied. */
  readonly dry: number;
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
  readonly leaks: LeakIndex;
  /** Whether no earlier measurement would have revealed a model without usable answers. */
  readonly checksReplies: boolean;
}

/** Everything that a step saw and proposed. */
export interface Proposed extends Candidates {
  readonly step: number;
  readonly epoch: number;
  /** The number of edits that the step was allowed to apply. */
  readonly budget: number;
  readonly rolled: readonly Rolled[];
  readonly patches: readonly RawPatch[];
  readonly merged: MergedPatch;
  readonly selected: Patch;
  readonly reports: readonly EditReport[];
  readonly tried: TriedStep;
  /** The same count as in its input, including this step. */
  readonly dry: number;
  /** Why there's nothing to decide about. */
  readonly nothing?: string;
}

/** The optimizer's proposals from the incumbent's results on a batch: rollout → reflect → aggregate → select → update. */
export async function proposeStep(input: ProposeInput, context: Context): Promise<Proposed> {
  const { incumbent, tried, meta, turn } = input;
  const { step, epoch, batch, budget } = turn;
  const at = (stage: Stage): Place => ({ role: "optimizer", step, stage });

  const { rolled, sides } = await study(
    { step, epoch, incumbent, batch, budget, tried, dry: input.dry, meta },
    context,
  );
  if (input.checksReplies) checkReplies(rolled, context);
  checkPendingShare(rolled, "rollout", context);

  const contracts = contractSection(batch);
  const guard = { skill: incumbent, leaks: input.leaks, contracts: contractsOf(batch) };
  const aggregateInput = { skill: incumbent, sides, budget, contracts, meta, place: at("aggregate") };
  const merged = await timed(
    "aggregate",
    step,
    // the number of merges depends on the analysts' replies
    0,
    () => aggregate(aggregateInput, context),
    context,
  );
  const patches = await allPatches(sides);
  const unusable = patches.flatMap((patch) => patch.unusable ?? []);
  const isUnheard = unusable.length > 0 && unusable.length === patches.length;
  if (isUnheard && (step === 1 || unusable.length > 1 || tried.at(-1)?.isUnheard === true))
    throw unusableReplies("optimizer", unusable, unusable.length, context);
  const { kept, refused } = guardEdits(merged.edits, guard);
  const pool = { ...merged, edits: kept };

  const selected = await timed(
    "select",
    step,
    kept.length,
    () => select(incumbent, pool, budget, meta, at("select"), context),
    context,
  );
  const written = await timed(
    "update",
    step,
    selected.edits.length,
    () => update(incumbent, selected.edits, at("update"), context),
    context,
  );

  const { candidate, edits } = written;
  const applied = edits.filter((_, nth) => written.reports[nth]?.applied === true);
  const changes = applied.map((edit): Change => ({ kind: "edit", edit }));
  const patterns = patches.filter((patch) => patch.source === "failure").flatMap((patch) => patch.patterns);
  const isSame = skillIdentity(candidate) === skillIdentity(incumbent);
  const isDry = isSame && merged.edits.length > 0;
  const chosen = new Set(selected.edits.map(editKey));
  const reported = edits.map((edit, at) => ({ edit, report: written.reports[at] }));
  const lost = [
    ...[...refused, ...reported].flatMap(({ edit, report }) => refusedBecause(edit, isDry, report)),
    ...kept.flatMap((edit) => (chosen.has(editKey(edit)) ? [] : [{ ...edit, fate: "not chosen" }])),
  ];
  const nothing =
    merged.edits.length === 0
      ? noEdits(unusable.length, patches.length)
      : kept.length === 0
        ? "every edit was refused"
        : "no edit could be applied";
  return {
    step,
    epoch,
    budget,
    rolled,
    patches,
    merged,
    selected: { ...selected, edits },
    reports: [...written.reports, ...refused.map((one) => one.report)],
    candidate,
    changes,
    within: turn.within,
    on: input.on,
    tried: { step, patterns, edits: lost, ...(isSame && isUnheard ? { isUnheard } : {}) },
    // a step without a proposal neither ends nor extends a streak
    dry: isDry ? input.dry + 1 : merged.edits.length === 0 ? input.dry : 0,
    ...(isSame ? { nothing } : {}),
  };
}

/**
 * An edit that never reached the skill, with the reason. A leak's own words may come from a val or test task. An edit
 * that repeats the skill is only listed if nothing else came of the step.
 */
function refusedBecause(edit: Edit, isDry: boolean, report?: EditReport): readonly TriedEdit[] {
  if (report === undefined || report.applied) return [];
  if (report.status === "skipped_already_there" && !isDry) return [];
  const isLeak = report.status === "refused_leak";
  const why = isLeak ? "It contains a task's answer or check instead of a general rule." : report.detail;
  return [{ ...edit, fate: `refused: ${why}` }];
}

function noEdits(unusable: number, analysts: number): string {
  if (analysts === 0) return "the batch had nothing to learn from";
  if (unusable === 0) return "no edit was proposed";
  if (unusable === analysts) return "none of the optimizer's replies could be used";
  return `no edit was proposed; ${unusable} of ${analysts} of the optimizer's replies couldn't be used`;
}
