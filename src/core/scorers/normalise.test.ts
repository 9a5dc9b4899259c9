import fc from "fast-check";
import { expect, test } from "vitest";
import { answerTokens, normaliseAnswer, tokenF1 } from "./normalise.ts";

test.each([
  ["  The  Pacific\nOcean. ", "pacific ocean"],
  ["Ｐａｒｉｓ！", "paris"],
  ["“Paris”, (France)", "paris france"],
  ["U.S.", "us"],
  ["don't", "dont"],
  ["state-of-the-art", "state of art"],
  ["1,234,567", "1234567"],
  ["**Paris** or `Rome`", "paris or rome"],
  ["2020-10-05", "2020 10 05"],
  ["-$.50", "-$.50"],
])("%j is compared as %j", (text, expected) => {
  expect(normaliseAnswer(text)).toBe(expected);
});

test.each([
  ["1.5", "15"],
  [".5", "5"],
  ["1,5", "15"],
  ["-5", "5"],
  ["-$5", "$5"],
  ["C#", "C"],
  ["−5", "5"],
  ["A", ""],
  ["A", "the"],
  ["vitamin A", "vitamin"],
  ["C++", "C"],
  ["A, B", "B"],
  ["A B", "B"],
  ["a\nb", "B"],
  ["A) C)", "C"],
  ["!", "?"],
  ["x", ""],
])("%j and %j stay different", (one, other) => {
  expect(normaliseAnswer(one)).not.toBe(normaliseAnswer(other));
});

test.each([
  ["-5", "−5."],
  ["1.5", "1.5."],
  [".5", " .5"],
  ["a", "A."],
  ["a cat", "cat"],
  ["an A", "A"],
  ["The B.", "b"],
  ["a 7", "7"],
])("%j and %j are the same", (one, other) => {
  expect(normaliseAnswer(one)).toBe(normaliseAnswer(other));
});

test("characters of scripts without spaces are words", () => {
  expect(answerTokens("规则一 ok")).toEqual(["规", "则", "一", "ok"]);
});

test("token F1 counts common words with repetition", () => {
  expect(tokenF1("red red blue", "red green")).toBeCloseTo(2 / 5, 12);
  expect(tokenF1("Paris", "It is Paris")).toBeCloseTo(0.5, 12);
  expect(tokenF1("Paris", "")).toBe(0);
});

test("token F1 is symmetric, in [0, 1], and 1 for a text with itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
      expect(tokenF1(a, b)).toBe(tokenF1(b, a));
      expect(tokenF1(a, b)).toBeGreaterThanOrEqual(0);
      expect(tokenF1(a, b)).toBeLessThanOrEqual(1);
      expect(tokenF1(a, a)).toBe(1);
    }),
  );
});
