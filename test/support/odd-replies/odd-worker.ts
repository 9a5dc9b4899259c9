// node odd-worker.ts <first> <step> <runs> <seed>: of each rate so many trainings, each next to one that is cut; one line for each.
import { seededRandom } from "../../../src/core/random.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type OddRun, oddRates, runOdd } from "./odd-run.ts";

/** A training that is left alone, and the same that is interrupted or killed first. */
export interface OddPair {
  readonly seed: number;
  readonly rate: number;
  readonly gate: string;
  readonly alone: Omit<OddRun, "found" | "bought">;
  readonly cut: Omit<OddRun, "found" | "bought">;
  readonly isSame: boolean;
  /** Usable replies that only one of the two bought. */
  readonly boughtOnce: number;
}

const [first = 0, step = 1, runs = 1, seed = 1] = process.argv.slice(2).map(Number);
using folder = temporaryDirectory("odd-replies");
for (let nth = first; nth < runs * oddRates.length; nth += step) {
  const pair = await runPair(seed + Math.floor(nth / oddRates.length), oddRates[nth % oddRates.length] ?? 0);
  process.stdout.write(`${JSON.stringify(pair)}\n`);
}

async function runPair(world: number, rate: number): Promise<OddPair> {
  const cuts = 1 + Math.floor(3 * seededRandom("odd-cuts", world, rate)());
  const at = { seed: world, rate, cwd: folder.path };
  const { found, bought, ...alone } = await runOdd({ ...at, cuts: 0 });
  const { found: again, bought: others, ...cut } = await runOdd({ ...at, cuts });
  const both = new Set([...bought, ...others]);
  return {
    seed: world,
    rate,
    gate: world % 2 === 0 ? "rules" : "strict",
    alone,
    cut,
    isSame: found === again,
    boughtOnce: 2 * both.size - bought.length - others.length,
  };
}
