import { inspect } from "node:util";
import { expect, test } from "vitest";
import { WhetstoneError } from "../core/errors.ts";
import { asTyped, errorForCaller, forCaller, inCode } from "./caller.ts";

test("a program reads options where a person reads flags", () => {
  const hint = "Cap calls, tokens or minutes as well, such as --spend-calls 500.";
  expect(asTyped(() => forCaller(hint))).toBe(hint);
  expect(forCaller(hint)).toBe("Cap calls, tokens or minutes as well, such as `spend: { calls: 500 }`.");
  const error = new WhetstoneError("price-unknown", "No price.", { hint });
  expect(asTyped(() => errorForCaller(error))).toBe(error);
  expect(errorForCaller(error)).toMatchObject({
    code: "price-unknown",
    message: "No price.",
    hint: forCaller(hint),
    stack: error.stack,
  });
  expect(inspect(errorForCaller(error)).split("No price.")).toHaveLength(2);
});

test.each([
  ["Use `--gate rules`, or more `--epochs`.", 'Use `gate: "rules"`, or more `epochs`.'],
  ["name another one with --judge.", "name another one with `judge`."],
  ['unless you waive it: --waive "has a word".', 'unless you waive it: `waive: ["has a word"]`.'],
  ["add --leave-out a,b: the run goes on", 'add `leaveOut: ["a", "b"]`: the run goes on'],
  [
    "give the price: --price my/model=<in>,<out>",
    'give the price: `prices: { "my/model": { input: <in>, output: <out> } }`',
  ],
  ["leave these tasks out with --skip-invalid.", "leave these tasks out with `skipInvalid: true`."],
  ["Leave out --no-editor to have it.", "Leave out `editor: false` to have it."],
  ["allow more: --max-cost is the most", "allow more: `objective.maxCost` is the most"],
  ["strict; --gate rules measures each", 'strict; `gate: "rules"` measures each'],
  ["name it with --judge first", "name it with `judge` first"],
  ["Give it longer, such as --call-seconds 40, or ask", "Give it longer, such as `callSeconds: 40`, or ask"],
  [
    "`whetstone adopt run1 --trials 3` and --unproven stay",
    "`whetstone adopt run1 --trials 3` and --unproven stay",
  ],
  ["Give --base-url http://127.0.0.1:11434/v1", 'Give `baseURL: "http://127.0.0.1:11434/v1"`'],
])("%s", (hint, said) => {
  expect(inCode(hint)).toBe(said);
});
