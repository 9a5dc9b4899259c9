import { expect, test } from "vitest";
import { findUnsafeText } from "./find-unsafe-text.ts";

const region = "<!-- whetstone:learned:start -->\n- kept\n<!-- whetstone:learned:end -->\n";
const live = "# A\n\n- one\n";

test.each([
  ["a tag character", `${live}- a\u{E0041}b\n`, 4, "tag character (U+E0041)"],
  ["a bidi control", `${live}\n\u202Ex\n`, 5, "bidi control (U+202E)"],
  ["an ANSI escape", `\u001B[8m${live}`, 1, "ANSI escape (U+001B)"],
  ["a carriage return inside a line", `${live}- a\rb\n`, 4, "carriage return inside a line (U+000D)"],
  ["a word in disguise", `${live}p\u0430y\n`, 4, 'word "p\u0430y", which only looks Latin'],
  ["a start without an end", `${live}<!-- whetstone:learned:start -->\n`, 4, "lone region marker"],
  ["an end without a start", `${live}<!-- whetstone:learned:end -->\n`, 4, "lone region marker"],
  ["a second region of a name", `${region}${region}`, 4, 'second region "learned"'],
  [
    "other spacing",
    `${live}<!--whetstone : x : END-->\n`,
    4,
    'imitated region marker "<!--whetstone : x : END-->"',
  ],
  ["text behind blanks", `${live}- a${" ".repeat(90)}b\n`, 4, "text after 90 spaces"],
  ["text below empty lines", `${live}${"\n".repeat(40)}b\n`, 44, "text after 40 empty lines"],
  ["a line that nobody reads", `${live}${"ab ".repeat(3000)}\n`, 4, "line of 9000 characters"],
  ["a placeholder", `${live}«SECRET:npm:1»\n`, 4, "placeholder of a secret «SECRET:npm:1»"],
  ["a marker over two lines", `${live}whetstone:\nx:start`, 1, "imitated region marker over several lines"],
])("%s is found, with its line", (_, proposed, line, what) => {
  expect(findUnsafeText(live, proposed)).toEqual([{ line, what }]);
});

test("a region with both its markers passes, one with a marker in its body does not", () => {
  expect(findUnsafeText(live, live + region)).toEqual([]);
  const nested = region.replace("kept", "<!-- whetstone:appendix:start -->");
  expect(findUnsafeText(live, live + nested)).toEqual([{ line: 5, what: "lone region marker" }]);
});

test("a placeholder that stays passes, one that is filled in does not", () => {
  const old = "- token «SECRET:npm:1»\n";
  expect(findUnsafeText(old, `${old}- more\n`)).toEqual([]);
  expect(findUnsafeText(old, "- token abc\n")).toEqual([
    { line: 1, what: "something in place of «SECRET:npm:1»" },
  ]);
});

test("what the live text holds already passes, one more of it does not", () => {
  const old = "می\u200Cخواهم\n<!-- whetstone:learned:end -->\nwhetstone:x:start\n";
  expect(findUnsafeText(old, `${old}- more\n`)).toEqual([]);
  expect(findUnsafeText(old, `${old}a\u200Cb\n`)).toEqual([
    { line: 4, what: "zero width non-joiner (U+200C)" },
  ]);
  expect(findUnsafeText(old, `${old}whetstone:y:end\n`)).toEqual([
    { line: 4, what: 'imitated region marker "whetstone:y:end"' },
  ]);
});

test.each(["\uFEFF# A\r\n\r\n- one ✔️ 👩‍💻\r\n", "规则 العربية Правило: оса\n"])("%j passes", (proposed) => {
  expect(findUnsafeText("", proposed)).toEqual([]);
});
