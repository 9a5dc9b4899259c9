import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { textBars } from "./max-t.ts";
import { chanceAbove, signFlipP } from "./sign-flip.ts";

const drawText = (random: () => number, units: number) =>
  Array.from({ length: units }, () => Math.floor(7 * random()) - 3);

/** All assignments of signs, the same for every text. */
function* signings(units: number): Generator<readonly number[]> {
  for (let bits = 0; bits < 2 ** units; bits += 1)
    yield Array.from({ length: units }, (_, at) => ((bits >> at) & 1 ? 1 : -1));
}

const turned = (text: readonly number[], signs: readonly number[]) =>
  text.map((one, at) => one * (signs[at] ?? 1));

test("with the same signs for all texts, a false word comes as often as the bar allows", () => {
  const random = seededRandom("max-t test");
  for (const alpha of [0.05, 0.027]) {
    const texts = Array.from({ length: 5 }, () => drawText(random, 12));
    const bars = textBars(texts, alpha);
    let crossed = 0;
    for (const signs of signings(12))
      if (texts.some((text, at) => signFlipP(turned(text, signs)) <= (bars[at] ?? 0))) crossed += 1;
    expect(crossed / 2 ** 12).toBeLessThan(1.1 * alpha);
    expect(crossed / 2 ** 12).toBeGreaterThan(0.7 * alpha);
    // never stricter than a fifth for each by much, never laxer than a text alone
    for (const bar of bars) expect(bar).toBeLessThanOrEqual(alpha);
    expect(Math.max(...bars)).toBeGreaterThan(alpha / 5);
  }
});

test("texts that behave alike cost each other nothing", () => {
  const text = drawText(seededRandom("alike"), 30);
  // sums of whole numbers come in steps, and the bar lies on one of them
  for (const bar of textBars([text, text, text], 0.03)) expect(bar).toBeGreaterThan(0.02);
});

test("where differences are missing, or no simulation reaches the bar, each text has its even part", () => {
  const text = drawText(seededRandom("even"), 30);
  expect(textBars([text, []], 0.03)).toEqual([0.015, 0.015]);
  expect(textBars([text, text], 1e-7)).toEqual([5e-8, 5e-8]);
  expect(textBars([text], 0.03)).toEqual([0.03]);
});

test("the chance above a limit is exact", () => {
  const text = drawText(seededRandom("above"), 10);
  for (const limit of [-4, 0, 3.5, 6, 100]) {
    const above = [...signings(10)].filter((signs) => turned(text, signs).reduce((a, b) => a + b, 0) > limit);
    expect(chanceAbove(text, limit)).toBeCloseTo(above.length / 2 ** 10, 12);
  }
});
