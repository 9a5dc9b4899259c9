import { memoryJournal } from "../../../src/adapters/journals/memory.ts";
import { mainText } from "../../../src/core/skill/skill.ts";
import type { StepOutcome } from "../../../src/core/loop/step-outcome.ts";
import { trainSkill } from "../../../src/core/loop/train.ts";
import { runId } from "../../../src/run/session/run-id.ts";
import { runInSession } from "../../../src/run/session/run-in-session.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../../src/testing/index.ts";
import { scriptedRun } from "../scripted-run.ts";

/** The world of the comparison. With these chances two rollouts of one task under one skill differ with 0.2. */
export const worldSettings = {
  rules: 12,
  rulesHeld: 4,
  passWith: 0.8873,
  passWithout: 0.1127,
  passHarmed: 0.05,
  shares: { useful: 1, useless: 1, harmful: 1 },
  sizes: { train: 96, val: 48, test: 120 },
  epochs: 3,
  batchSize: 8,
  editBudget: 2,
} as const;

export type SearchGate = "strict" | "rules";

/** What one search came to, in true scores on the test tasks: computed, not measured. */
export interface SearchReport {
  readonly seed: number;
  readonly gate: SearchGate;
  readonly before: number;
  readonly after: number;
  /** Candidates that were judged, and accepted. */
  readonly judged: number;
  readonly accepted: number;
  /** Accepted although not truly better than the incumbent, and those of them that are truly worse. */
  readonly falseAccepts: number;
  readonly worseAccepts: number;
  /** Truly better candidates, and those of them that were not accepted. */
  readonly better: number;
  readonly missed: number;
  /** Target calls for the gate, the original's own included. */
  readonly rollouts: number;
  /** Edits that a guard refused. */
  readonly refused: number;
}

// sums of the same chances in another order may differ by this much
const rounding = 1e-9;

/** One search over real sockets, with nothing on but the six stages and the gate. */
export async function runSearch(seed: number, gate: SearchGate): Promise<SearchReport> {
  const { rules, rulesHeld, passWith, passWithout, passHarmed, shares, sizes, epochs } = worldSettings;
  const { batchSize, editBudget } = worldSettings;
  const world = hiddenRuleWorld({ seed, rules, passWith, passWithout, passHarmed, ...shares });
  const splits = world.splits(sizes);
  await using server = await startScriptedServer({ seed, world, record: false });
  const resolved = scriptedRun({
    url: server.url,
    skill: world.seedSkill(rulesHeld),
    splits,
    settings: {
      gate,
      seed,
      epochs,
      batchSize,
      editBudget,
      minEditBudget: editBudget,
      schedule: "constant",
      evalTest: false,
      // equal rollouts for both: strict evaluates every candidate on all of val
      stopEarly: false,
    },
  });
  const trueScore = (text: string) => world.trueScore(text, splits.test);
  const counts = {
    judged: 0,
    accepted: 0,
    falseAccepts: 0,
    worseAccepts: 0,
    better: 0,
    missed: 0,
    refused: 0,
  };
  let incumbent = mainText(resolved.skill);
  let rollouts = 0;
  const onStep = async ({ candidate, action, standing, reports }: StepOutcome) => {
    counts.refused += reports.filter(({ status }) => status.startsWith("refused_")).length;
    if (candidate !== undefined) {
      const effect = trueScore(mainText(candidate)) - trueScore(incumbent);
      const isBetter = effect > rounding;
      const isAccepted = action.startsWith("accept");
      counts.judged += 1;
      counts.accepted += Number(isAccepted);
      counts.falseAccepts += Number(isAccepted && !isBetter);
      counts.worseAccepts += Number(isAccepted && effect < -rounding);
      counts.better += Number(isBetter);
      counts.missed += Number(isBetter && !isAccepted);
    }
    incumbent = mainText(standing.current.skill);
  };
  const journal = await memoryJournal();
  const result = await runInSession(
    { run: runId("train", resolved), folder: "", resolved },
    {
      journal,
      artifacts: false,
      onEvent: (event) => {
        const isGate =
          event.type === "unit-end" && (event.stage === "baseline" || event.stage === "evaluate");
        if (isGate && event.from === "provider") rollouts += 1;
      },
    },
    ({ context }) => trainSkill({ skill: resolved.skill, splits, onStep }, context),
  );
  await journal.close();
  const before = trueScore(mainText(resolved.skill));
  return { seed, gate, before, after: trueScore(mainText(result.best.skill)), ...counts, rollouts };
}
