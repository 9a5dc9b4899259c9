import { expect, test } from "vitest";
import { growth } from "../../../test/support/growth.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test.each([
  ["Unicode tags", range(0xe0000, 0xe007f)],
  ["bidi controls", [...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]],
  ["zero-width characters", [...range(0x200b, 0x200f), ...range(0x2060, 0x2064), 0xfeff]],
  ["variation selectors", [...range(0xfe00, 0xfe0f), ...range(0xe0100, 0xe01ef)]],
  ["the soft hyphen", [0xad]],
  ["controls", [...range(0, 8), 0x0b, 0x0c, ...range(0x0e, 0x1f), ...range(0x7f, 0x9f)]],
  ["line and paragraph separators", [0x2028, 0x2029]],
  ["blank letters and deprecated formats", [0x034f, 0x061c, 0x115f, 0x3164, 0xffa0, 0x180e, 0x206a, 0xfff9]],
  ["a blank that is no blank, private use, no characters at all", [0x2800, 0xe000, 0xf8ff, 0xfffe, 0x10ffff]],
  ["halves of surrogate pairs", [0xd800, 0xdfff]],
])("%s are found inside a word", (_, codePoints) => {
  for (const codePoint of codePoints) {
    const found = findHiddenCharacters(`a${String.fromCodePoint(codePoint)}b`);
    expect(found).toEqual([{ index: 1, codePoint, name: expect.stringMatching(/./) }]);
  }
});

test("position and name are given", () => {
  expect(findHiddenCharacters("\u{1F600} a\u200Bb\u001B[31mred")).toEqual([
    { index: 4, codePoint: 0x200b, name: "zero width space" },
    { index: 6, codePoint: 0x1b, name: "ANSI escape" },
  ]);
  expect(findHiddenCharacters("x\u{E0041}").map(({ name }) => name)).toEqual(["tag character"]);
});

test.each([
  "plain text\twith tab\r\nand lines\n",
  "Ünïcode ✓ 规则 العربية עברית हिन्दी ไทย 한국어 ½ ∑ → “quotes” — dash…",
  "\uFEFFa leading BOM",
  "⚠️ ✔️ ⭐️ ❤️ ©️ ™︎ 1️⃣ #️⃣ *️⃣",
  "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 👁️‍🗨️ 🧑🏽‍🚀 👩🏾‍🤝‍👨🏻 🙂‍↔️ 🧑‍🦰",
  "🇫🇷 👍🏿 ☝🏽",
])("%j passes", (text) => {
  expect(findHiddenCharacters(text)).toEqual([]);
});

test.each([
  ["a joiner that joins nothing", "👩\u200D and"],
  ["two joiners", "👩\u200D\u200D💻"],
  ["a second selector", "❤\uFE0F\uFE0F"],
  ["a selector after a letter", "a\uFE0F"],
  ["a selector after a bare digit", "1\uFE0F "],
  ["a picture that carries tags", "🏴\u{E0067}\u{E007F}"],
])("%s is found", (_, text) => {
  expect(findHiddenCharacters(text)).not.toEqual([]);
});

test("time grows with the length", () => {
  const look = (size: number) =>
    findHiddenCharacters("👩\u200D".repeat(3 * size) + "1\uFE0F".repeat(2 * size));
  expect(growth(look, 25_000)).toBeLessThan(8);
});
