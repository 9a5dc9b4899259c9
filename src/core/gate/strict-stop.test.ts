import fc from "fast-check";
import { expect, test } from "vitest";
import { type Metric, gateScore } from "./score.ts";
import { strictStop } from "./strict-stop.ts";

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const rows = fc.array(
  fc.record({ hard: fc.constantFrom(0, 0.5, 1), soft: unit, weight: fc.constantFrom(1, 2, 0.3) }),
  {
    minLength: 1,
    maxLength: 20,
  },
);

test("a stop never changes the strict gate's decision", () => {
  fc.assert(
    fc.property(rows, unit, fc.constantFrom<Metric>("hard", "soft", "mixed"), (rows, bar, metric) => {
      const weights = rows.map(({ weight }) => weight);
      let [hard, soft, total] = [0, 0, 0];
      for (const row of rows) {
        hard += row.weight * row.hard;
        soft += row.weight * row.soft;
        total += row.weight;
      }
      const score = gateScore({ hard: hard / total, soft: soft / total }, metric, 0.5);
      for (const bound of [bar, score]) {
        const full = score > bound ? "accept" : "reject";
        for (let done = 0; done <= rows.length; done += 1) {
          const scores = rows.map((row, task) => (task < done ? row : null));
          const stop = strictStop({ scores, weights, metric, mixedWeight: 0.5, bar: bound });
          if (stop !== "continue" || done === rows.length) expect(stop).toBe(full);
        }
      }
    }),
  );
});

test("a tie that cannot be broken is a rejection", () => {
  const [won, lost] = [
    { hard: 1, soft: 1 },
    { hard: 0, soft: 0 },
  ];
  const input = { metric: "hard", mixedWeight: 0, bar: 0.75 } as const;
  expect(strictStop({ ...input, scores: [lost, null, null, null] })).toBe("reject");
  expect(strictStop({ ...input, scores: [won, won, null, null] })).toBe("continue");
  expect(strictStop({ ...input, scores: [won, won, won, won] })).toBe("accept");
});
