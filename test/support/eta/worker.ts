// node worker.ts <first> <step> <runs> <seed>: runs of shapes that were known, then of drawn ones; one line for each.
import { runEta } from "./eta-run.ts";
import { drawShape, knownShapes } from "./eta-shapes.ts";

const [first = 0, step = 1, runs = 1, seed = 1] = process.argv.slice(2).map(Number);
const shapes = [
  ...knownShapes.map((shape) => ({ isDrawn: false, shape })),
  ...Array.from({ length: knownShapes.length }, (_, nth) => ({ isDrawn: true, shape: drawShape(nth, seed) })),
];
for (let nth = first; nth < runs * shapes.length; nth += step) {
  const { isDrawn, shape } = shapes[nth % shapes.length] ?? { isDrawn: false, shape: knownShapes[0] };
  if (shape === undefined) break;
  const report = await runEta(shape, seed + Math.floor(nth / shapes.length));
  process.stdout.write(`${JSON.stringify({ isDrawn, ...report })}\n`);
}
