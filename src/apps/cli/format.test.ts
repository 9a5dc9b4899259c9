import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fit, oneLine, short, table, textWidth } from "./format.ts";
import { breakLine, wrap } from "./wrap.ts";

test("ideographs and emoji take two columns, accents and colours none", () => {
  expect(
    ["abc", "日本", "👩‍🚀", "é", "e\u0301", "\u001B[31mred\u001B[39m", "▁█●│", "❤\uFE0F"].map(textWidth),
  ).toEqual([3, 4, 2, 1, 1, 3, 4, 2]);
});

test("a cut line keeps its colours, and their end", () => {
  expect(fit("\u001B[32mgreen leaves\u001B[39m fall", 8)).toBe("\u001B[32mgreen l\u001B[39m…");
  expect(fit("日本語", 4)).toBe("日…");
  expect(fit("short", 5)).toBe("short");
});

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => oneLine(text)),
  fc.constantFrom("\u001B[1m", "\u001B[22m", "\u001B[32m", "\u001B[39m", "日本", "word ", "👩‍🚀"),
);
const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

test("no cut is wider than asked for, and none splits an escape sequence", () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 40 }), (text, columns) => {
      const cut = fit(text, columns);
      expect(textWidth(cut)).toBeLessThanOrEqual(columns);
      expect(stripVTControlCharacters(cut)).not.toContain("\u001B");
    }),
  );
});

test("a broken line loses nothing but spaces, and no part is too wide", () => {
  fc.assert(
    fc.property(line.map(stripVTControlCharacters), fc.integer({ min: 10, max: 40 }), (text, columns) => {
      const parts = breakLine(text, columns);
      for (const part of parts) expect(textWidth(part)).toBeLessThanOrEqual(columns);
      expect(parts.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
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
  expect(oneLine("  slow\r\n\u001B[2Jdown\u0007 ")).toBe("slow down");
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
