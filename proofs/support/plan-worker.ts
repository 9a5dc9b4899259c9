// node plan-worker.ts <first> <step> <last> <seed>: plans and makes these runs, one line for each.
import { runPlanCase } from "./plan-case.ts";

const [first = 1, step = 1, last = 1, seed = 1] = process.argv.slice(2).map(Number);
for (let nth = first; nth <= last; nth += step) {
  process.stdout.write(`${JSON.stringify(await runPlanCase(nth, seed))}\n`);
}
