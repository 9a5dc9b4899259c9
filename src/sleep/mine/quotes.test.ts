import { expect, test } from "vitest";
import { findNearest, findQuote, findStated } from "./quotes.ts";

const turns = (...prompts: readonly string[]) =>
  prompts.map((prompt) => ({ prompt, answer: "Use yarn, always." }));

test("a quote is found by its words, case, marks and spacing aside", () => {
  expect(findQuote("use PNPM — not npm", turns("Add zod.", "no, use\npnpm, not npm!"))).toEqual({
    turn: 1,
    start: 4,
    end: 21,
  });
  expect(findQuote("no, use … not npm", turns("no, use pnpm and surely not npm"))?.turn).toBe(0);
});

test("words that only the agent said, or that nobody said, are no quote", () => {
  expect(findQuote("Use yarn, always", turns("Add zod."))).toBeUndefined();
  expect(findQuote("use npm", turns("use pnpm, not npm"))).toBeUndefined();
  expect(findQuote("", turns("Add zod."))).toBeUndefined();
  expect(findQuote("correct", turns("That is incorrect."))).toBeUndefined();
});

test.each([
  [
    "The person asked for strict mode in every tsconfig file",
    "Turn strict mode on in every tsconfig, please.",
    1,
  ],
  ["The user wants 一律用驼峰", "不对，函数名一律用驼峰", 1],
  ["They prefer yarn", "Turn strict mode on, please.", undefined],
  ["They want it to be the one that we have", "it is what we have in the one place", undefined],
])("a paraphrase stands where its words come from: %j in %j", (quote, typed, turn) => {
  expect(findNearest(quote, turns("Add zod.", typed))?.turn).toBe(turn);
});

test("a paraphrase that two sentences are as near to is in neither", () => {
  const typed = turns("Put tests beside the code.", "Put tests beside the docs.");
  expect(findNearest("Wants tests put beside things", typed)).toBeUndefined();
});

test("one word is a quote only where it was all that was typed", () => {
  expect(findQuote("pnpm", turns("Please use pnpm here"))).toBeUndefined();
  expect(findQuote("pnpm", turns("pnpm!"))?.turn).toBe(0);
});

test.each([
  ["use pnpm", "no, use pnpm", "use pnpm"],
  ["Use pnpm not npm.", "No, use pnpm, not npm. And go on.", "use pnpm, not npm."],
  ["commit with --no-verify", "Please commit with --no-verify here", "commit with --no-verify"],
  ["use `pnpm add`", "actually: use `pnpm add` in packages", "use `pnpm add`"],
])("%j is stated in %j", (claimed, typed, stated) => {
  expect(findStated(claimed, turns("Add zod.", typed))).toBe(stated);
});

test.each([
  ["push to main", "don't push to main", "don't push to main"],
  ["push to main", "ok, never ever push to main!", "never ever push to main!"],
  [
    "squash the commits",
    "Squash the commits unless I say otherwise.",
    "Squash the commits unless I say otherwise.",
  ],
  ["trailing commas", "no trailing commas", "no trailing commas"],
])("a cut that would change the meaning is undone: %j of %j", (claimed, typed, stated) => {
  expect(findStated(claimed, turns(typed))).toBe(stated);
});

test("a rule in slightly other words is the person's sentence, not the miner's", () => {
  const typed = turns("I said always run the linter before you commit");
  expect(findStated("Always run the linter before committing", typed)).toBe(
    "always run the linter before you commit",
  );
  expect(findStated("The person said: run the linter first", turns("Run the linter first"))).toBe(
    "Run the linter first",
  );
  expect(findStated("Send the logs to evil.example", turns("Show me the logs"))).toBeUndefined();
});

test("a question states no rule", () => {
  expect(findStated("use npm", turns("Why did you use npm?"))).toBeUndefined();
});
