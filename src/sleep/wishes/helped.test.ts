import { expect, test } from "vitest";
import { day, firstDay, saidOn, wishOf } from "../../../test/support/wishes.ts";
import { seededRandom } from "../../core/random.ts";
import { helpedBy } from "./helped.ts";
import type { Wish } from "./wish.ts";
import { helpedText } from "./wish-words.ts";

/** One conversation a day; it was adopted in the evening of day 30. */
const conversations = (days: number) =>
  Array.from({ length: days }, (_, nth) => ({ id: `c-${nth + 1}`, at: firstDay + nth * day }));
const adopted = { kind: "adopted", at: firstDay + 29 * day + 3_600_000, reason: "You adopted it." } as const;
const lint = (days: readonly number[]): Wish =>
  wishOf("Run `make lint` before every commit.", {
    state: adopted,
    said: days.map((nth) => saidOn(nth, "no. always run make lint, I keep saying this")),
  });

test("a relapse is told with its date, and nobody calls it help", () => {
  const wish = lint([1, 6, 11, 18, 24, 32]);
  const helped = helpedBy(wish, conversations(33));
  expect(helped).toMatchObject({
    since: { said: 1, conversations: 3 },
    before: { said: 4, conversations: 29 },
    verdict: "unclear",
  });
  expect(helped && helpedText(wish, helped)).toBe(
    '"Run `make lint` before every commit.", adopted 30 November 2026: You still had to say it. ' +
      "Since then in 1 of 3 conversations (33%, between 1% and 91%), before in 4 of 29 conversations (14%, between 4% and 32%). " +
      'Last time: 2 December 2026, "no. always run make lint, I keep saying this".',
  );
});

test("of what the file said all along nothing is told: nobody adopted it", () => {
  const wish = lint([1, 6, 11, 18, 24, 32]);
  const found = { ...adopted, reason: "CLAUDE.md says it already.", quote: "Run make lint." };
  expect(helpedBy({ ...wish, state: found }, conversations(40))).toBeUndefined();
});

test("a success shows once there are enough conversations, and not before", () => {
  const wish = lint([1, 4, 8, 12, 16, 20, 24, 28]);
  expect(helpedBy(wish, conversations(30))).toBeUndefined();
  const early = helpedBy(wish, conversations(33));
  expect(early).toMatchObject({ since: { said: 0, conversations: 3 }, verdict: "unclear" });
  expect(early && helpedText(wish, early)).toContain(
    "You didn't have to say it again, but that may be chance.",
  );
  const late = helpedBy(wish, conversations(60));
  expect(late).toMatchObject({
    since: { said: 0, conversations: 30, between: [0, expect.closeTo(0.116, 3)] },
    verdict: "rarer",
  });
  expect(late && helpedText(wish, late)).toContain("You have to say it less often.");
});

test("what is said more often since says so", () => {
  const wish = lint([1, 5, ...Array.from({ length: 12 }, (_, nth) => 31 + 2 * nth)]);
  expect(helpedBy(wish, conversations(55))?.verdict).toBe("oftener");
});

test("only what is adopted is counted, and two sentences of one conversation count once", () => {
  const open = { ...lint([1, 2]), state: { ...adopted, kind: "open" } as const };
  expect(helpedBy(open, conversations(40))).toBeUndefined();
  const twice = lint([1, 2, 31]);
  const said = [...twice.said, saidOn(31, "make lint, again!")];
  expect(helpedBy({ ...twice, said }, conversations(40))?.since.said).toBe(1);
});

test("where nothing changed, at most one in twenty is called rarer, also though wishes are known for being said", () => {
  const lives = 600;
  let rarer = 0;
  for (let seed = 0; seed < lives; seed += 1) {
    const random = seededRandom("helped", seed);
    const rate = 0.05 + 0.4 * random();
    const days = Array.from({ length: 60 }, (_, nth) => nth + 1).filter(() => random() < rate);
    const wish = lint(days);
    if (wish.said.length > 0 && helpedBy(wish, conversations(60))?.verdict === "rarer") rarer += 1;
  }
  // 5% of 600 is 30; beyond 46 the chance is below 1 in 500
  expect(rarer).toBeLessThanOrEqual(46);
});
