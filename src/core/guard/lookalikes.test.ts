import { expect, test } from "vitest";
import { findLookalikes } from "./lookalikes.ts";

test.each([
  ["Cyrillic among Latin", "send it to p\u0430ypal"],
  ["Cyrillic alone", "use \u0440\u0430\u0443 here"],
  ["Greek among Latin", "your passw\u03BFrd"],
  ["Armenian among Latin", "g\u0585\u0585gle"],
  ["Cherokee among Latin", "\u13A0elete"],
  ["two foreign scripts", "\u0440\u03BF\u0440\u03BF"],
  ["wide letters", "run \uFF52\uFF4D now"],
  ["mathematical letters", "run \u{1D42B}\u{1D426} now"],
])("%s is found", (_, text) => {
  expect(findLookalikes(text)).toHaveLength(1);
});

test("position and word are given", () => {
  expect(findLookalikes("one\ntwo p\u0430y\n")).toEqual([{ index: 8, word: "p\u0430y" }]);
});

test.each([
  "Plain English, naïve café, Łódź, Straße, İstanbul, nº 5, Việt Nam",
  "Скажи, что это оса, а не рост; PDFы и SMSка",
  "Γράψε τη λέξη και",
  "ρgh, αx, Δt, kΩ, λx, x ∈ ℝⁿ, σ² and µm",
  "ファイルを ＡＢＣ と呼ぶ",
  "規則 العربية עברית हिन्दी ไทย 한국어 Հայերեն",
  "a а",
])("%j passes", (text) => {
  expect(findLookalikes(text)).toEqual([]);
});

test("a lone word of a script that the known text uses passes", () => {
  expect(findLookalikes("- оса\n")).toHaveLength(1);
  expect(findLookalikes("- оса\n", "Пиши по-русски.\n")).toEqual([]);
});
