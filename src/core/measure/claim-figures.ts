import type { ClaimEvidence } from "../evidence.ts";
import { fewestTasks } from "../gate/claim/claim-p.ts";
import { type ClaimPair, countUnits, differences, isFinished, unitSums } from "../gate/claim/claim-pair.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim/claim-verdict.ts";
import { type Drift, clearDrift, driftBetween, driftOver } from "../gate/claim/drift.ts";
import { firstBar } from "../gate/claim/account.ts";
import { textBars } from "../gate/claim/max-t.ts";
import type { ClaimWord } from "../verdict-words.ts";
import { type ArmCosts, armCosts } from "./arm-costs.ts";
import { weighBlind } from "./blind-answers.ts";
import { unfinished } from "./claim-pairs.ts";
import { fallenTasks } from "./lost-tasks.ts";

/** The figures of a claim. */
export interface ClaimFigures {
  readonly claim: ClaimVerdict;
  /** Ids of tasks that fell in every trial. */
  readonly fallen: readonly string[];
  /** Ids of tasks that a person left out, which count as lost, and of tasks whose results may still arrive. */
  readonly leftOut: readonly string[];
  readonly missing: readonly string[];
  /** Unusable replies of the target, by arm and kind: each keeps its score. Missing if there were none. */
  readonly unusable: ClaimEvidence["unusable"];
  /** The model names that the provider reported, and the number of results from each host. */
  readonly models: readonly string[];
  readonly hosts: Readonly<Record<string, number>>;
  /** Set if the target drifted during the measurement. */
  readonly drift: Drift | undefined;
  /** The cost of a rollout with each skill. */
  readonly perRollout: ArmCosts | undefined;
}

/** All figures of a claim, computed from the measurements. Both a run and `verify` compute them here. */
export function claimFigures(evidence: ClaimEvidence): ClaimFigures {
  const { tasks, pairs, groups, steady, models, hosts, unusable, seen, again, blind = {} } = evidence;
  const bars = barsOf(evidence);
  const claim = weighBlind(claimVerdict(pairs, { ...bars, steady, ...(groups && { groups }) }), blind);
  const looks = again === undefined ? 1 : 2;
  const moved =
    again === undefined || again.length === 0
      ? undefined
      : driftBetween(
          again.map(({ before }) => before),
          again.map(({ after }) => after),
        );
  return {
    claim:
      seen.length === 0 ? claim : { ...claim, verdict: onSeenTasks(claim.verdict), scope: "these tasks" },
    fallen: fallenTasks(pairs).flatMap((task) => tasks[task] ?? []),
    ...unfinished(pairs, tasks),
    unusable,
    models,
    hosts,
    drift: clearDrift(moved, looks) ?? clearDrift(driftOver(timedBlocks(evidence)), looks),
    // costs aren't a question of the account: their level stays that of a first question
    perRollout: armCosts({ ...evidence, alpha: firstBar(evidence.bar.alpha) }),
  };
}

/** The verdict on tasks that helped make a skill may only be about these tasks alone. */
const onSeenTasks = (verdict: ClaimWord): ClaimWord => narrowWords[verdict] ?? verdict;

const narrowWords: Partial<Record<ClaimWord, ClaimWord>> = {
  better: "higher",
  worse: "lower",
  "no-difference": "even",
};

/** Both thresholds, which several texts share. */
function barsOf({ bar, pairs, beside = [] }: ClaimEvidence): {
  readonly alpha: number;
  readonly alphaWorse: number;
} {
  const [better, worse] = [bar.alpha * bar.share, bar.alpha * bar.worse];
  if (beside.length === 0) return { alpha: better, alphaWorse: worse };
  // a handful of tasks may use another test, which doesn't consider the other texts
  const own = countUnits(pairs) < fewestTasks ? [] : sumsOf(pairs);
  const partOf = (alpha: number) => textBars([own, ...beside], alpha)[0] ?? 0;
  return { alpha: partOf(better), alphaWorse: partOf(worse) };
}

/** The differences by unit; none while results are missing. */
export function sumsOf(pairs: readonly ClaimPair[]): readonly number[] {
  const finished = pairs.filter(isFinished);
  return finished.length < pairs.length ? [] : unitSums(finished, differences(finished));
}

/** Blocks with a missing result say nothing about time. */
function timedBlocks({ order, pairs }: Pick<ClaimEvidence, "order" | "pairs">) {
  return order.flatMap(({ task, trial }) => {
    const [one, other] = [pairs[task]?.incumbent[trial] ?? null, pairs[task]?.candidate[trial] ?? null];
    return one === null || other === null ? [] : [{ task, score: (one + other) / 2 }];
  });
}
