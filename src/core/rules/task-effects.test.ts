import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { chanceUnder, momentsOf } from "./kinds.ts";
import { addColumns, addScores } from "./rule-model.ts";
import { taskEffects } from "./task-effects.ts";

test("it is known on which tasks a rule does much, and how much, also where tasks of a group count once", () => {
  const inPairs = Array.from({ length: 20 }, (_, task) => task - (task % 2));
  for (const units of [undefined, inPairs]) {
    const random = seededRandom("tasks", 1);
    let model = addColumns(startModel({ tasks: 20, units }), ["", ""]);
    for (let draw = 0; draw < 30; draw += 1) {
      const results = Array.from({ length: 20 }, (_, task) => {
        const columns = [0, 1].filter(() => random() < 0.5);
        const chance = [3, 11].includes(task) && !columns.includes(0) ? 0.1 : 0.9;
        return { task, columns, score: Number(random() < chance), draw };
      });
      model = fitRules(addScores(model, results));
    }
    const effects = taskEffects(model);
    expect(effects).toHaveLength(40);
    for (const { column, task, parts } of effects) {
      const isMoved = column === 0 && [3, 11].includes(task);
      expect(1 - chanceUnder(parts, 1 / 3) > 0.9).toBe(isMoved);
      expect(Math.abs(momentsOf(parts).mean - (isMoved ? 0.8 : 0))).toBeLessThan(isMoved ? 0.4 : 0.1);
    }
  }
});

test("results of one text on one task count one by one where they are told apart", () => {
  const again = (draw?: number) => ({
    task: 0,
    columns: [0],
    score: 1,
    ...(draw === undefined ? {} : { draw }),
  });
  const cellsOf = (...results: readonly ReturnType<typeof again>[]) =>
    addScores(addColumns(startModel({ tasks: 1 }), [""]), results).cells.size;
  expect(cellsOf(again(), again())).toBe(1);
  expect(cellsOf(again(0), again(1))).toBe(2);
});
