import type { ClaimEvidence, LossEvidence } from "../evidence.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim/claim-verdict.ts";
import { type Drift, clearDrift, driftBetween, driftOver } from "../gate/claim/drift.ts";
import { earnAlpha, spendAlpha } from "../gate/claim/spend-alpha.ts";
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
  const { tasks, pairs, groups, steady, models, hosts, seen, again, bar, blind = {} } = evidence;
  const alpha =
    "look" in bar ? spendAlpha(bar.alpha, bar.look) : readAlpha(bar, evidence.isFresh ? "fresh" : "steady");
  const claim = weighBlind(claimVerdict(pairs, { alpha, steady, ...(groups && { groups }) }), blind);
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
    models,
    hosts,
    drift: clearDrift(moved, looks) ?? clearDrift(driftOver(timedBlocks(evidence)), looks),
    perRollout: armCosts({ ...evidence, alpha }),
  };
}

/** What a claim on tasks that helped to make a skill may say: it speaks of these tasks alone. */
const onSeenTasks = (verdict: ClaimWord): ClaimWord => narrowWords[verdict] ?? verdict;

const narrowWords: Partial<Record<ClaimWord, ClaimWord>> = {
  better: "higher",
  worse: "lower",
  "no-difference": "even",
};

/** The bar of a read; a target that only repeats itself earns nothing back. */
export const readAlpha = (
  { alpha, read = 1, found = [] }: LossEvidence["bar"],
  target: "fresh" | "steady",
): number => (target === "fresh" ? earnAlpha(alpha, read, found) : spendAlpha(alpha, read));

/** Blocks with a missing result tell nothing about time. */
function timedBlocks({ order, pairs }: Pick<ClaimEvidence, "order" | "pairs">) {
  return order.flatMap(({ task, trial }) => {
    const [one, other] = [pairs[task]?.incumbent[trial] ?? null, pairs[task]?.candidate[trial] ?? null];
    return one === null || other === null ? [] : [{ task, score: (one + other) / 2 }];
  });
}
