import type { Stage } from "../place.ts";
import { filterConstants, probeTasks } from "../gate/filter/filter-state.ts";
import type { TrainSettings } from "../settings.ts";
import { mostAgain } from "../measure/measure-again.ts";
import { type Range, middleOf, multiplyRanges, nothing, range } from "../rehearse/range.ts";

/** Calls whose prompts have the same shape. */
export type CallKind =
  | "canary"
  | "longest"
  | "first-analyst"
  | "val"
  | "train"
  | "candidate"
  | "epoch"
  | "test-original"
  | "test-best"
  | "no-skill"
  | "rewritten"
  | "analyst"
  | "contrast"
  | "merge"
  | "rank"
  | "budget"
  | "repair"
  | "rewrite"
  | "slow-update"
  | "meta-skill"
  | "one-shot"
  | "rubric"
  | "calibration";

export type PlannedRole = "target" | "optimizer" | "judge";

export interface PlannedCalls {
  readonly kind: CallKind;
  readonly role: PlannedRole;
  readonly stage: Stage;
  /** In the whole run. */
  readonly calls: Range;
  /** The fewest that must be made before the first step is through. */
  readonly firstStep: number;
  /** Whether they grow with the number of steps. */
  readonly perStep: boolean;
}

export interface RunSizes {
  readonly train: number;
  readonly val: number;
  readonly test: number;
  /** Of the sealed test. */
  readonly sealedTrials: number;
  /** Whether any outcome of the sealed test could be a claim. */
  readonly claimPossible: boolean;
  /** The environment analyses by itself. */
  readonly ownReflection: boolean;
  /** With several attempts: the share of steps in which they do not differ, which are left to the plain analysts. */
  readonly plainSteps: Range;
  /** The share of train tasks that fail. */
  readonly failures: Range;
}

/** Steps of the run: batches of all epochs. */
export function countSteps({ epochs, batchSize, accumulation }: TrainSettings, train: number): number {
  return epochs * Math.ceil(train / (batchSize * accumulation));
}

/** How many calls each stage makes, as the loop is written. The early end of a run that has nothing to learn is left out. */
export function countCalls(settings: TrainSettings, sizes: RunSizes): readonly PlannedCalls[] {
  const steps = countSteps(settings, sizes.train);
  const planned = [...countTarget(settings, sizes, steps), ...countOptimizer(settings, sizes, steps)];
  return planned.filter(({ calls }) => Math.max(calls.low, calls.high) > 0);
}

function countTarget(settings: TrainSettings, sizes: RunSizes, steps: number): PlannedCalls[] {
  const { train, val, test, sealedTrials, claimPossible } = sizes;
  const { epochs, attempts, evalTest, baselines } = settings;
  const target = (
    kind: CallKind,
    stage: Stage,
    calls: Range,
    firstStep = 0,
    perStep = false,
  ): PlannedCalls => ({
    kind,
    role: "target",
    stage,
    calls,
    firstStep,
    perStep,
  });
  const batch = Math.min(train, settings.batchSize * settings.accumulation);
  const start = startRollouts(settings, val);
  const pairs = boundaries(settings) * Math.min(settings.slowUpdateSamples, train);
  const sealed = evalTest && claimPossible ? test * sealedTrials : 0;
  const again = settings.gate === "off" ? 0 : Math.min(val, mostAgain);
  const held = test > 0 ? test : val;
  return [
    target("longest", "preflight", range(1), 1),
    target("val", "baseline", range(start), start),
    target("train", "rollout", range(epochs * train * attempts), batch * attempts, true),
    target("candidate", "evaluate", gateRollouts(settings, val, steps), 0, true),
    // both skills are one when the epoch changed nothing
    target("epoch", "epoch", range(pairs, 2 * pairs), 0, true),
    // the best skill may be the original, and a target that only repeats itself is not asked again
    target("test-original", "test", range(0, sealed === 0 ? 0 : sealed + again)),
    target("test-best", "test", range(0, sealed)),
    target("no-skill", "test", range(baselines ? held : 0)),
    target("rewritten", "test", range(baselines ? held : 0)),
  ];
}

/** What the gate measures before the first candidate. */
function startRollouts({ gate, trials }: TrainSettings, val: number): number {
  if (gate === "off") return 0;
  if (gate === "paired") return val * trials;
  return gate === "filter" ? val + probeTasks(val).length : val;
}

/** Epochs at whose end the loop looks back: from the second on. */
function boundaries({ epochs, slowUpdate, metaSkill }: TrainSettings): number {
  return slowUpdate || metaSkill ? epochs - 1 : 0;
}

/** Rollouts of candidates on val. A rejection that is certain early is the cheap end. */
function gateRollouts(settings: TrainSettings, val: number, steps: number): Range {
  const { gate, stopEarly, slowUpdate, trials } = settings;
  const candidates = steps + (slowUpdate ? boundaries(settings) : 0);
  const early = filterConstants.firstLook;
  if (gate === "off") return nothing;
  if (gate === "filter") {
    // the budget that the loop gives itself: one pass for each proposal
    const budget = candidates * val;
    return range(Math.min(early * candidates * val, budget), budget);
  }
  if (gate === "strict") return range((stopEarly ? early : 1) * candidates * val, candidates * val);
  const arm = val * trials;
  // an accepted candidate is measured afresh before it becomes the bar, and of few candidates all may be accepted
  const accepted = Math.min(0.2 + 0.8 / Math.sqrt(candidates), 1);
  return range((stopEarly ? 0.5 : 1) * candidates * arm, (1 + accepted) * candidates * arm);
}

function countOptimizer(settings: TrainSettings, sizes: RunSizes, steps: number): PlannedCalls[] {
  const { train, ownReflection, plainSteps } = sizes;
  const { attempts, epochs, schedule, updateMode, slowUpdate, metaSkill, skillAware, baselines } = settings;
  const optimizer = (
    kind: CallKind,
    stage: Stage,
    calls: Range,
    firstStep = 0,
    perStep = true,
  ): PlannedCalls => ({
    kind,
    role: "optimizer",
    stage,
    calls,
    firstStep,
    perStep,
  });
  const each = (calls: Range): Range => multiplyRanges(range(steps), calls);
  const batch = Math.min(train, settings.batchSize * settings.accumulation);
  const { analysts, merges, fewest } = reflectionCalls(settings, batch, sizes.failures);
  // attempts that do not differ, or an unusable reply, leave the step to the plain analysts
  const contrast = attempts > 1;
  const plain = ownReflection ? 0 : 1;
  const share = contrast ? multiplyRanges(plainSteps, range(plain)) : range(0.9 * plain, 1.1 * plain);
  // where the plain analysts come in, the contrastive one, which costs less, stays out: so each end has its own share
  const contrasting = contrast ? range(plain - share.low, plain - share.high) : nothing;
  return [
    optimizer("first-analyst", "preflight", range(1), 1, false),
    optimizer("contrast", "reflect", each(contrasting), contrast ? plain : 0),
    optimizer("analyst", "reflect", each(multiplyRanges(share, analysts)), contrast ? 0 : fewest * plain),
    // analysts that propose nothing leave less to merge
    optimizer("merge", "aggregate", each(multiplyRanges(share, range(0.6 * merges.low, merges.high)))),
    optimizer("budget", "select", each(schedule === "autonomous" ? range(1 - seldom, 1) : nothing)),
    optimizer("rank", "select", each(range(0, updateMode === "full-rewrite" ? 0 : seldom))),
    optimizer("repair", "update", each(range(0, updateMode === "patch" || skillAware ? seldom : 0))),
    optimizer("rewrite", "update", each(updateMode === "patch" ? nothing : range(1 - seldom, 1))),
    optimizer("slow-update", "epoch", range(slowUpdate ? boundaries(settings) : 0)),
    optimizer("meta-skill", "epoch", range(metaSkill ? Math.max(epochs - 2, 0) : 0)),
    optimizer("one-shot", "test", range(baselines ? 1 : 0), 0, false),
  ];
}

/** The share of steps in which something happens that usually does not, at most. */
const seldom = 0.2;

export interface ReflectionCalls {
  /** Analysts and merges of one step: with successes on average, without them for few failures and for many. */
  readonly analysts: Range;
  readonly merges: Range;
  /** Tasks that one analyst is shown. */
  readonly shown: number;
  /** The fewest analysts that any share of failures leaves. */
  readonly fewest: number;
}

/** Failures fill minibatches and so do successes; each side merges level by level, then both become one. */
export function reflectionCalls(settings: TrainSettings, batch: number, failed: Range): ReflectionCalls {
  const { minibatchSize, mergeBatchSize, failureOnly } = settings;
  const counts = Array.from({ length: batch + 1 }, (_, failures) => {
    const sides = [failures, failureOnly ? 0 : batch - failures].map((tasks) =>
      Math.ceil(tasks / minibatchSize),
    );
    const final = sides.every((patches) => patches > 0) ? 1 : 0;
    const merges = sides.reduce((sum, patches) => sum + treeMerges(patches, mergeBatchSize), final);
    return { analysts: sides.reduce((sum, patches) => sum + patches, 0), merges };
  });
  type Count = (typeof counts)[number];
  const mean = (some: readonly Count[], pick: (count: Count) => number) =>
    some.reduce((sum, count) => sum + pick(count), 0) / some.length;
  // batches differ: about this share of failures means a little less here and a little more there
  const about = (share: number) =>
    counts.slice(Math.floor(0.75 * share * batch), Math.ceil(1.25 * share * batch) + 1);
  const both = (pick: (count: Count) => number) =>
    failureOnly
      ? range(mean(about(failed.low), pick), mean(about(failed.high), pick))
      : range(mean(counts, pick));
  const analysts = both((count) => count.analysts);
  const read = (failureOnly ? middleOf(failed) : 1) * batch;
  return {
    analysts,
    merges: both((count) => count.merges),
    shown: Math.min(read / middleOf(analysts), minibatchSize),
    fewest: Math.min(...counts.map((count) => count.analysts)),
  };
}

/** A group of one needs no call. */
function treeMerges(patches: number, mergeBatchSize: number): number {
  if (patches < 2) return 0;
  const groups = Math.ceil(patches / mergeBatchSize);
  const alone = patches % mergeBatchSize === 1 ? 1 : 0;
  return groups - alone + treeMerges(groups, mergeBatchSize);
}
