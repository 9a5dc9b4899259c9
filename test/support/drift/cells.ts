import type { ClaimWord } from "../../../src/core/verdict-words.ts";
import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import { compareSkills } from "../../../src/core/measure/compare-skills.ts";
import { measureSkill } from "../../../src/core/measure/evaluate.ts";
import { measureAgain } from "../../../src/core/measure/measure-again.ts";
import { seal } from "../../../src/core/measure/seal.ts";
import { type Movement, movingTarget } from "./moving-target.ts";

export interface DriftCell {
  /** `sealed-after`: the provider moves between the first measurement and the sealed test. */
  readonly claim: "compare" | "eval --baseline" | "sealed" | "sealed-after";
  readonly tasks: number;
  readonly trials: number;
  readonly shape: Movement["shape"];
  readonly points: number;
}

const sizes = [
  { claim: "compare", tasks: 100, trials: 3 },
  { claim: "eval --baseline", tasks: 60, trials: 1 },
  { claim: "sealed", tasks: 34, trials: 3 },
  { claim: "sealed-after", tasks: 34, trials: 3 },
] as const;

const driftCells: readonly DriftCell[] = sizes.flatMap((size) => [
  { ...size, shape: "step", points: 0 } as const,
  ...(["step", "ramp"] as const).flatMap((shape) =>
    [5, 10, 15].map((points): DriftCell => ({ ...size, shape, points })),
  ),
]);

/** The short form has those without a move, and with one that matters. */
export const planDrift = (short: boolean): readonly DriftCell[] =>
  driftCells.filter(({ points }) => !short || points === 0 || points === 10);

export interface DriftResult {
  readonly cell: DriftCell;
  readonly runs: number;
  readonly better: number;
  readonly worse: number;
  /** Runs that said that the target moved. */
  readonly noticed: number;
  /** Of a false "better", and of a false "worse". */
  readonly alpha: number;
}

const [before, after] = [singleFileSkill("Answer. A."), singleFileSkill("Answer. B.")];

/** The same behaviour under two texts, again and again, while the provider moves. */
export async function runDriftCell(cell: DriftCell, runs: number, seed: number): Promise<DriftResult> {
  const count = { better: 0, worse: 0, noticed: 0 };
  let alpha = 0;
  for (let run = 0; run < runs; run += 1) {
    const found = await claimOnce(cell, 1_000_003 * seed + run);
    if (found.word === "better" || found.word === "worse") count[found.word] += 1;
    if (found.isNoticed) count.noticed += 1;
    alpha = found.alpha;
  }
  return { cell, runs, ...count, alpha };
}

interface Found {
  readonly word: ClaimWord;
  readonly isNoticed: boolean;
  readonly alpha: number;
}

async function claimOnce(
  { claim, tasks: count, trials, shape, points }: DriftCell,
  seed: number,
): Promise<Found> {
  const again = Math.min(count, 60);
  const rollouts = 2 * count * trials + (claim.startsWith("sealed") ? again : 0);
  // what comes before the move has half of the calls, as a step in the middle wants it
  const calls = claim === "sealed-after" ? 2 * count : rollouts;
  const { context, tasks } = await movingTarget({ shape, points, calls }, count, seed, {
    claimTrials: trials,
  });
  if (claim === "compare" || claim === "eval --baseline") {
    const split = claim === "compare" ? "test" : "val";
    const found = await compareSkills({ before, after, parts: [{ split, tasks }], trials }, context);
    return { word: found.claim.verdict, isNoticed: found.drift !== undefined, alpha: found.claim.alpha };
  }
  const place = { role: "target", step: 0, stage: "baseline" } as const;
  const first = await measureSkill(before, "val", tasks, { purpose: "gate", trial: 0 }, place, context);
  const bridge = () => () => measureAgain(before, first, context);
  const sealed = await seal({ original: before, best: after, test: tasks, bridge }, context);
  if (sealed.kind !== "claimed") throw new Error(`nothing was claimed: ${sealed.kind}`);
  return { word: sealed.claim.verdict, isNoticed: sealed.drift !== undefined, alpha: sealed.claim.alpha };
}
