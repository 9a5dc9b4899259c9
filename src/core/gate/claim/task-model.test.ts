import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { drawOdds, oddsShift, passRate, taskModel } from "./task-model.ts";

test("drawn tasks have the mean, the flip rate and the effect that were asked for", () => {
  const model = taskModel({ baseline: 0.7, flipRate: 0.2 });
  const shift = oddsShift(model, 0.1);
  const random = seededRandom("model");
  let [passes, flips, gain] = [0, 0, 0];
  const count = 20_000;
  for (let task = 0; task < count; task += 1) {
    const odds = drawOdds(model, random);
    const chance = passRate(odds);
    passes += chance / count;
    flips += (2 * chance * (1 - chance)) / count;
    gain += (passRate(odds + shift) - chance) / count;
  }
  expect(Math.abs(passes - 0.7)).toBeLessThan(0.01);
  expect(Math.abs(flips - 0.2)).toBeLessThan(0.01);
  expect(Math.abs(gain - 0.1)).toBeLessThan(0.01);
});
