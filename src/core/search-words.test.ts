import { expect, test } from "vitest";
import type { MeasuredRule } from "./rules/rule-table.ts";
import { undecidedSentence } from "./search-words.ts";

test("undecided are rules that may well help, and the way on is named", () => {
  const rule = (state: "kept" | "dropped", helps: number) => ({ state, helps }) as MeasuredRule;
  const decided = [rule("kept", 0.5), rule("dropped", 0.2)];
  expect(undecidedSentence({ rules: decided }, {})).toBeUndefined();
  expect(undecidedSentence({ rules: [...decided, rule("dropped", 0.3)] }, { more: 1 })).toBe(
    "1 rule with at least a 25% chance to help is undecided: run the same command with `--more 2` to continue.",
  );
});
