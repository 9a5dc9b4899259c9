import { expect, test } from "vitest";
import { openBets } from "./e-values.ts";

interface Pass {
  readonly has: readonly boolean[];
  readonly rolls: readonly { readonly task: number; readonly text: number; readonly score: number }[];
}

function eSome(passes: readonly Pass[], tasks: number, sign: 1 | -1 = 1) {
  const bets = openBets(
    passes.map(({ has }) => has),
    tasks,
  );
  showAll(bets, passes, tasks);
  return bets.evidence(sign);
}

function showAll(bets: ReturnType<typeof openBets>, passes: readonly Pass[], tasks: number): void {
  for (let task = 0; task < tasks; task += 1)
    bets.see(
      task,
      passes.flatMap(({ rolls }, pass) =>
        rolls.filter((one) => one.task === task).map(({ text, score }) => ({ pass, text, score })),
      ),
    );
}

/** All ways to choose `count` of so many texts. */
const choices = (texts: number, count: number): boolean[][] =>
  Array.from({ length: 2 ** texts }, (_, bits) =>
    Array.from({ length: texts }, (_text, at) => Boolean(bits & (2 ** at))),
  ).filter((has) => has.filter(Boolean).length === count);

type Rolls = Pass["rolls"];
const roll = (task: number, text: number, score: number) => ({ task, text, score });

test("the bet on coins is fair: over all coins of all passes, given any scores, the mean is exactly 1", () => {
  const first: Rolls = [roll(0, 0, 1), roll(1, 1, 0), roll(2, 2, 1), roll(3, 3, 0.25), roll(4, 0, 1)];
  const second: Rolls = [roll(0, 3, 0), roll(1, 1, 1), roll(2, 0, 0.5), roll(3, 2, 1)];
  for (const [one, other] of [
    [1, 2],
    [2, 3],
    [2, 4],
  ] as const)
    for (const sign of [1, -1] as const) {
      const all = choices(4, one).flatMap((has) =>
        choices(4, other).map((later) =>
          eSome(
            [
              { has, rolls: first },
              { has: later, rolls: second },
            ],
            5,
            sign,
          ),
        ),
      );
      expect(all.reduce((sum, { value }) => sum + value, 0) / all.length).toBeCloseTo(1, 12);
      expect(new Set(all.map(({ value }) => value.toFixed(6))).size).toBeGreaterThan(1);
    }
});

test("a rule without which a task fails is soon believed, and it is known which task", () => {
  const passes = Array.from({ length: 10 }, (_, pass): Pass => {
    const has = [0, 1, 2, 3].map((text) => text === pass % 4 || text === (pass + 1) % 4);
    const texts = [pass % 3, (pass + 1) % 4, 3 - (pass % 4)];
    return { has, rolls: texts.map((text, task) => roll(task, text, task === 0 ? Number(has[text]) : 1)) };
  });
  const { value, concerns } = eSome(passes, 3);
  expect(value).toBeGreaterThan(10);
  expect(concerns.map((chance) => chance > 0.5)).toEqual([true, false, false]);
  expect(eSome(passes, 3, -1).value).toBeLessThan(1);
});

test("a rule that was in every text has thrown no coin", () => {
  const has = [true, true];
  expect(eSome([{ has, rolls: [roll(0, 0, 1), roll(1, 1, 0)] }], 2).value).toBe(1);
});

test("a task that is shown anew counts as if it had been shown so at once", () => {
  const has = [
    [true, false],
    [false, true],
  ];
  const rolls: Rolls = [roll(0, 0, 1), roll(1, 1, 0)];
  const passes = has.map((texts) => ({ has: texts, rolls }));
  const bets = openBets(has, 2);
  bets.see(1, [{ pass: 0, text: 0, score: 0.5 }]);
  showAll(bets, passes, 2);
  for (const sign of [1, -1] as const) {
    const [again, once] = [bets.evidence(sign), eSome(passes, 2, sign)];
    expect(again.value).toBeCloseTo(once.value, 12);
    expect(again.concerns).toEqual(once.concerns);
  }
});
