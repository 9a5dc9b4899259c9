// node plan-worker.ts <first> <step> <runs> <seed>: plans and makes these runs of every cell, one line for each.
import { planCells, runPlanCase } from "./plan-case.ts";

const [first = 0, step = 1, runs = 1, seed = 1] = process.argv.slice(2).map(Number);
for (let nth = first; nth < runs * planCells.length; nth += step) {
  const cell = planCells[nth % planCells.length] ?? "train chat";
  process.stdout.write(
    `${JSON.stringify(await runPlanCase(cell, Math.floor(nth / planCells.length) + 1, seed))}\n`,
  );
}
