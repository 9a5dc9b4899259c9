import { expect, test } from "vitest";
import { findFilledPlaceholders, findPlaceholders } from "./placeholders.ts";

test.each(["«SECRET:github:1»", "SECRET:known:2", "« secret : aws : 3 »", "«SECRET:npm"])(
  "%s is a placeholder",
  (text) => {
    expect(findPlaceholders(`use ${text}`)).toEqual([{ index: 4, text }]);
  },
);

test("words about secrets are none", () => {
  expect(findPlaceholders("Never log a secret: passwords, keys. SECRET: see the vault.")).toEqual([]);
});

test("something else in its place is found, a line that went with it is not", () => {
  const before = "- token «SECRET:github:1»\n- Be brief.\n";
  expect(findFilledPlaceholders(before, "- token abc\n- Be brief.\n")).toEqual([
    { index: 0, text: "«SECRET:github:1»" },
  ]);
  expect(findFilledPlaceholders(before, "- Be brief.\n")).toEqual([]);
  expect(findFilledPlaceholders(before, `${before}- More.\n`)).toEqual([]);
});
