import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { foundRules } from "../../test/support/measured-rules.ts";
import { textWidth } from "./format.ts";
import { worthLines, wholeWorthLines } from "./worth-lines.ts";

const plain = (lines: readonly string[]) => lines.map(stripVTControlCharacters);

test("kept rules stand one to a line, the best first; what was tried besides is one sentence", () => {
  expect(plain(worthLines(foundRules.table, "0123456789abcdef", 120))).toMatchInlineSnapshot(`
    [
      "  no.  points (95% interval)  helps  tokens  rollouts    asked by  rule",
      "    1  +6.2 (+3.7 to +8.7)    shown  7       212 of 420  1 task    Write dates as 2026-01-31.",
      "    9  +3.9 (+1.7 to +6.1)    shown  11      132 of 260  1 task    Parcels of live bees get shelf code A-123.",
      "    3  +2.4 (0.0 to +4.8)     40%    6       192 of 380  1 task    Answer in at most three sentences.",
      "    7  +1.5 (−0.5 to +3.5)    40%    2       152 of 300  1 task    in rule 1: and times by ISO 8601",
      "    6  +1.1 (−0.7 to +2.9)    40%    11      162 of 320  2 tasks   Look up the shelf code before you answer.",
      "  Tried and not included: 2 dropped, 1 not worth the tokens, 1 duplicate.",
      "  \`whetstone runs show 01234567 --rules\` shows every rule in full.",
    ]
  `);
});

test.each([40, 80, 120])("no line is wider than %i columns", (columns) => {
  const lines = [
    ...worthLines(foundRules.table, "0123456789abcdef", columns),
    ...wholeWorthLines(foundRules.table, columns),
  ];
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

test("in full, each rule has its interval, who asked for it, and why it is not in the text", () => {
  const lines = plain(wholeWorthLines(foundRules.table, 100));
  expect(lines.slice(0, 15)).toMatchInlineSnapshot(`
    [
      "   1  kept: +6.2 points (95% interval +3.7 to +8.7)",
      "      Write dates as 2026-01-31.",
      "      7 tokens, in 212 of 420 rollouts, from step 1",
      "      random swaps of the texts that had it give as large a difference less than one time in 1,000",
      "      without it, the text is expected to lose 6.2 points",
      "      asked for by t03",
      "      it is expected to be worth its tokens",
      "   9  kept: +3.9 points (95% interval +1.7 to +6.1)",
      "      Parcels of live bees get shelf code A-123.",
      "      11 tokens, in 132 of 260 rollouts, from step 3",
      "      random swaps of the texts that had it give as large a difference one time in 32",
      "      without it, the text is expected to lose 1.2 points",
      "      rule 6 says the same, so one of the two is enough",
      "      its effect is shown for bees (+31.0 points)",
      "      asked for by t03",
    ]
  `);
  expect(lines.join("\n")).toMatch(
    /8 {2}dropped: −3\.1 points \(95% interval −5\.5 to −0\.7\).*it does not help/s,
  );
});

test("on a low terminal the best rules are shown and the others counted", () => {
  const lines = plain(worthLines(foundRules.table, "0123456789abcdef", 80, 3));
  expect(lines.slice(1, 5).map((line) => line.slice(0, 5))).toEqual(["    1", "    9", "    3", "    7"]);
  expect(lines.join(" ")).toContain("1 more in the skill.");
});
