import { expect, test } from "vitest";
import { foldText, readWords, wordKey } from "./leak-words.ts";

test.each([
  ["**The** _file_ `handle`,\n> stays — “open”!", "the file handle stays open"],
  ["Ｐａｒｉｓ", "paris"],
  ["1,488.00 EUR and 1.500,75", "1488 eur and 1500.75"],
  ["12:30, 1.4.3, 2024-03-04", "12:30 1.4.3 2024 03 04"],
  ["row_number() don’t Straße STRASSE", "row_number dont strasse strasse"],
  ["1 8 7 3 and P-a-r-i-s", "1873 and paris"],
  ["规则 ok", "规 则 ok"],
  ["zero\u200bwidth", "zerowidth"],
  ["", ""],
])("%j reads %j", (text, key) => {
  expect(wordKey(text)).toBe(key);
});

test("every word knows where it stands", () => {
  const text = foldText("A “Straße”, 1 8 7 3.");
  expect(readWords(text).map(({ start, end }) => text.slice(start, end))).toEqual(["A", "Straße", "1 8 7 3"]);
});
