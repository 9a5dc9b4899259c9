import { makePower, type Power } from "../guard/power.ts";
import { kindOfWord } from "../prompts/powers.ts";
import type { Looked } from "../rules/rule.ts";

/** What a changed file asks for by what models found in its new lines, and the lines that none has looked at. */
export function powersLookedAt(
  before: string,
  after: string,
  looked: readonly Looked[],
  exact: readonly Power[],
): readonly Power[] {
  const fresh = newLines(before, after);
  const seen = new Set<string>();
  const asked = looked.flatMap(({ text, powers }) => {
    const lines = new Set(text.split("\n").map(plainLine));
    const first = fresh.find((each) => lines.has(each.plain));
    if (first === undefined) return [];
    for (const line of lines) seen.add(line);
    return powers.map(({ power, quote }) =>
      makePower(kindOfWord(power), text.includes(quote) && quote.trim() !== "" ? quote : text, first),
    );
  });
  const isTold = ({ kind, line }: Power) =>
    exact.some((one) => one.kind === kind && one.line === line && one.rank === "ask");
  const unseen = fresh.filter(({ plain }) => !seen.has(plain));
  const [first] = unseen;
  return [
    ...asked.filter((power) => !isTold(power)),
    ...(first === undefined ? [] : [unseenPower(unseen.map(({ plain }) => plain).join(" "), first.line)]),
  ];
}

export const unseenPower = (words: string, line: number): Power =>
  makePower("not-looked-at", words, { line });

interface NewLine {
  /** As it is compared: without blanks and the mark of a list around it. */
  readonly plain: string;
  readonly written: string;
  /** From 1. */
  readonly line: number;
}

/** Lines with words that the text before doesn't have anywhere. */
export function newLines(before: string, after: string): readonly NewLine[] {
  const known = new Set(before.split("\n").map(plainLine));
  return after
    .split("\n")
    .map((written, at) => ({ plain: plainLine(written), written: written.trimEnd(), line: at + 1 }))
    .filter(({ plain }) => /[\p{L}\p{N}]/u.test(plain) && !known.has(plain) && !ownMarker.test(plain));
}

const plainLine = (line: string): string => line.trim().replace(/^(?:[-*+]|\d+[.)])\s+/, "");

const ownMarker = /^<!-- whetstone:[\w-]+:(?:start|end) -->$/;
