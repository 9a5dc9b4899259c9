import { type Config, train } from "../../../src/index.ts";
import { singleFileSkill } from "../../../src/method.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../../src/testing/index.ts";
import { type AddedLines, countLines } from "../count-lines.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** The world of the comparison. With these chances two rollouts of one task under one skill differ with 0.2. */
export const worldSettings = {
  rules: 12,
  rulesHeld: 4,
  passWith: 0.8873,
  passWithout: 0.1127,
  passHarmed: 0.05,
  shares: { useful: 1, useless: 1, harmful: 1 },
  sizes: { train: 96, val: 48, test: 120 },
} as const;

export type SearchGate = "strict" | "rules";

/** What one search came to, in true scores on the test tasks: computed, not measured. */
export interface SearchReport extends AddedLines {
  readonly seed: number;
  readonly gate: SearchGate;
  readonly before: number;
  readonly after: number;
  /** Target calls on val, the original's own included. */
  readonly rollouts: number;
}

const gateStages: ReadonlySet<string> = new Set(["baseline", "evaluate", "confirm"]);

/** One training over real sockets with all defaults, but for what follows the search. */
export async function runSearch(seed: number, gate: SearchGate): Promise<SearchReport> {
  const { rules, rulesHeld, passWith, passWithout, passHarmed, shares, sizes } = worldSettings;
  const world = hiddenRuleWorld({ seed, rules, passWith, passWithout, passHarmed, ...shares });
  const splits = world.splits(sizes);
  const original = world.seedSkill(rulesHeld);
  using folder = temporaryDirectory("world");
  await using server = await startScriptedServer({ seed, world, record: false });
  let rollouts = 0;
  const config: Config = {
    skill: singleFileSkill(original),
    tasks: splits,
    target: "office/target",
    optimizer: "office/optimizer",
    providers: { office: { baseURL: `${server.url}/v1` } },
    prices: { "office/target": { input: 0, output: 0 }, "office/optimizer": { input: 0, output: 0 } },
    spend: { calls: 20_000 },
    concurrency: 64,
    seed,
    gate,
    evalTest: false,
    baselines: false,
    // equal rollouts for both: strict decides on all of val
    stopEarly: false,
  };
  const { best } = await train({
    ...config,
    journal: folder.path,
    onEvent(event) {
      const isGate = event.type === "unit-end" && event.role === "target" && gateStages.has(event.stage);
      if (isGate && event.from === "provider") rollouts += 1;
    },
  });
  const trueScore = (text: string) => world.trueScore(text, splits.test);
  return {
    seed,
    gate,
    before: trueScore(original),
    after: trueScore(best.text),
    rollouts,
    ...countLines(world, original, best.text),
  };
}
