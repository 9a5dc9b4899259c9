import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine } from "../core/one-line.ts";
import { fit, short, table, textWidth, breakLine, wrap, createColors, toTerminal } from "./format.ts";

const colors = createColors(true);

/** What comes to the screen, without our colours. */
const shown = (text: string): string => stripVTControlCharacters(toTerminal(text));

test("ideographs and emoji take two columns, accents and colours none", () => {
  expect(
    ["abc", "日本", "👩‍🚀", "é", "e\u0301", colors.red("red"), "▁█●│", "❤\uFE0F"].map(textWidth),
  ).toEqual([3, 4, 2, 1, 1, 3, 4, 2]);
});

test("a cut line keeps its colours, and their end", () => {
  expect(toTerminal(fit(`${colors.green("green leaves")} fall`, 8))).toBe("\u001B[32mgreen l\u001B[39m…");
  expect(fit("日本語", 4)).toBe("日…");
  expect(fit("short", 5)).toBe("short");
});

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => oneLine(text)),
  fc.constantFrom(colors.bold("b"), colors.green("日本語"), "\u001B[2J", "\u202E", "日本", "word ", "👩‍🚀"),
);
const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

test("no cut is wider than asked for on the screen, and none splits a colour", () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 40 }), (text, columns) => {
      const cut = fit(text, columns);
      expect(textWidth(cut)).toBeLessThanOrEqual(columns);
      expect(shown(cut)).not.toContain("\u001B");
      expect(textWidth(shown(cut))).toBeLessThanOrEqual(columns);
    }),
  );
});

test("a broken line loses nothing but spaces, and no part is too wide", () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 10, max: 40 }), (text, columns) => {
      const parts = breakLine(text, columns);
      for (const part of parts) expect(textWidth(part)).toBeLessThanOrEqual(columns);
      expect(shown(parts.join("")).replaceAll(/\s/g, "")).toBe(shown(text).replaceAll(/\s/g, ""));
    }),
  );
});

test("words that are wide wrap by what they take on the screen", () => {
  expect(wrap("日本語日本語 日本語日本語", 20)).toEqual(["日本語日本語", "日本語日本語"]);
  expect(
    table([
      ["日本", "x"],
      ["a", "y"],
    ]),
  ).toEqual(["日本  x", "a     y"]);
});

test("a message from elsewhere becomes one harmless line", () => {
  expect(shown(oneLine("  slow\r\n\u001B[2Jdown\u0085 "))).toBe("slow <U+001B>[2Jdown");
  expect([oneLine("12345", 5), oneLine("123456", 5), oneLine("123👩‍🚀6", 5)]).toEqual([
    "12345",
    "1234…",
    "123…",
  ]);
});

test("large counts are short", () => {
  expect([950, 9999, 12_345, 104_000, 1_143_093].map(short)).toEqual([
    "950",
    "9999",
    "12.3k",
    "104k",
    "1.1M",
  ]);
});
