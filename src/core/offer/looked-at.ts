import { makePower, type Power } from "../guard/power.ts";
import { kindOfWord } from "../prompts/powers.ts";
import type { Looked, Rule } from "../rules/rule.ts";

/** The powers that models found in a changed file's new lines, and the lines that none has looked at. */
export function powersLookedAt(
  before: string,
  after: string,
  looked: readonly Looked[],
  exact: readonly Power[],
): readonly Power[] {
  const fresh = newLines(before, after);
  const seen = new Set(looked.flatMap(({ text }) => text.split("\n").map(plainLine)));
  const asked = looked.flatMap((one) => {
    const lines = one.text.split("\n").map(plainLine);
    const first = fresh.find(({ plain }) => lines.includes(plain));
    const told = exact.filter(({ line }) => line === first?.line);
    return first === undefined ? [] : powersFound(one, told, first.line);
  });
  const unseen = fresh.filter(({ plain }) => !seen.has(plain));
  const [first] = unseen;
  return first === undefined
    ? asked
    : [...asked, makePower("not-looked-at", unseen.map(({ plain }) => plain).join(" "), first)];
}

/** The powers that a model found, except for kinds that a person is already asked about. */
export const powersFound = ({ text, powers }: Looked, told: Rule["powers"], line = 1): readonly Power[] =>
  powers
    .map(({ power, quote }) =>
      makePower(kindOfWord(power), quote.trim() !== "" && text.includes(quote) ? quote : text, { line }),
    )
    .filter(({ kind }) => !told.some((one) => one.kind === kind && one.rank === "ask"));

/** Lines with words that the earlier text doesn't contain anywhere. `plain`: without surrounding spaces and list markers. */
export function newLines(before: string, after: string) {
  const known = new Set(before.split("\n").map(plainLine));
  return after
    .split("\n")
    .map((written, at) => ({ plain: plainLine(written), written: written.trimEnd(), line: at + 1 }))
    .filter(({ plain }) => /[\p{L}\p{N}]/u.test(plain) && !known.has(plain) && !ownMarker.test(plain));
}

const plainLine = (line: string): string => line.trim().replace(/^(?:[-*+]|\d+[.)])\s+/, "");

const ownMarker = /^<!-- whetstone:[\w-]+:(?:start|end) -->$/;
