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
  /** Ids of tasks that a person left out, which count as lost; and of those with results that may still come. */
  readonly leftOut: readonly string[];
  readonly missing: readonly string[];
  /** Replies of the target that were no answers, by arm and kind: each keeps its score. Missing where all were. */
  readonly unusable: ClaimEvidence["unusable"];
  /** Who answered, as the provider named itself, and how many results each host answered for. */
  readonly models: readonly string[];
  readonly hosts: Readonly<Record<string, number>>;
  /** Set when the target moved while it was measured. */
  readonly drift: Drift | undefined;
  /** What a rollout takes with each skill. */
  readonly perRollout: ArmCosts | undefined;
}

/** All figures of a claim from what was measured. A run and `verify` both compute them here. */
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
    // costs aren't a question of the account: their level stays that of a first one
    perRollout: armCosts({ ...evidence, alpha: firstBar(evidence.bar.alpha) }),
  };
}

/** What a claim on tasks that helped to make a skill may say: it speaks of these tasks alone. */
const onSeenTasks = (verdict: ClaimWord): ClaimWord => narrowWords[verdict] ?? verdict;

const narrowWords: Partial<Record<ClaimWord, ClaimWord>> = {
  better: "higher",
  worse: "lower",
  "no-difference": "even",
};

/** Both bars; several texts share them. */
function barsOf({ bar, pairs, beside = [] }: ClaimEvidence): {
  readonly alpha: number;
  readonly alphaWorse: number;
} {
  const [better, worse] = [bar.alpha * bar.share, bar.alpha * bar.worse];
  if (beside.length === 0) return { alpha: better, alphaWorse: worse };
  // a handful of tasks may claim by another test, which knows nothing of the other texts
  const own = countUnits(pairs) < fewestTasks ? [] : sumsOf(pairs);
  const partOf = (alpha: number) => textBars([own, ...beside], alpha)[0] ?? 0;
  return { alpha: partOf(better), alphaWorse: partOf(worse) };
}

/** Differences unit by unit; none while results are missing. */
export function sumsOf(pairs: readonly ClaimPair[]): readonly number[] {
  const finished = pairs.filter(isFinished);
  return finished.length < pairs.length ? [] : unitSums(finished, differences(finished));
}

/** Blocks with a missing result tell nothing about time. */
function timedBlocks({ order, pairs }: Pick<ClaimEvidence, "order" | "pairs">) {
  return order.flatMap(({ task, trial }) => {
    const [one, other] = [pairs[task]?.incumbent[trial] ?? null, pairs[task]?.candidate[trial] ?? null];
    return one === null || other === null ? [] : [{ task, score: (one + other) / 2 }];
  });
}
