import { expect, test } from "vitest";
import { wantsColors } from "./format.ts";
import { drawsUnicode } from "./glyphs.ts";

test("colours are for terminals that have them, unless somebody says otherwise", () => {
  expect(wantsColors({ TERM: "xterm" }, true)).toBe(true);
  expect(wantsColors({ CI: "1" }, false)).toBe(false);
  expect(wantsColors({ TERM: "dumb" }, true)).toBe(false);
  expect(wantsColors({ NO_COLOR: "1", FORCE_COLOR: "1" }, true)).toBe(false);
  expect(wantsColors({ FORCE_COLOR: "1" }, false)).toBe(true);
});

test("the locale says whether a terminal draws more than ASCII", () => {
  expect(drawsUnicode({ LANG: "de_DE.UTF-8" }, "linux")).toBe(true);
  expect(drawsUnicode({ LANG: "C.utf8" }, "linux")).toBe(true);
  expect(drawsUnicode({}, "linux")).toBe(true);
  expect(drawsUnicode({ LANG: "en_US.UTF-8", LC_ALL: "C" }, "linux")).toBe(false);
  expect(drawsUnicode({ LANG: "C.UTF-8", TERM: "dumb" }, "linux")).toBe(false);
  expect(drawsUnicode({}, "win32")).toBe(false);
  expect(drawsUnicode({ WT_SESSION: "x" }, "win32")).toBe(true);
});
