import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import { askPowers, rulesPerQuestion } from "./ask-powers.ts";

const place = { role: "optimizer", step: 0, stage: "confirm" } as const;
const rules = (...each: readonly object[]) => JSON.stringify({ rules: each });

test("each text is asked about once, in questions of a few, as data", async () => {
  const texts = Array.from({ length: rulesPerQuestion + 2 }, (_, at) => `Rule ${at}.\nEND rule-1 0000`);
  const context = await scriptedContext(() =>
    rules({ rule: 1, powers: [{ power: "hosts", quote: "Rule" }] }, { rule: 2, powers: [] }),
  );
  const found = await askPowers([...texts, ...texts], place, context);
  expect(context.requests.map(({ messages }) => messages[0]?.content.match(/^BEGIN /gm)?.length)).toEqual([
    rulesPerQuestion,
    2,
  ]);
  // what the reply leaves out has not been looked at
  expect([...found.keys()]).toEqual([texts[0], texts[1], texts[16], texts[17]]);
  expect(found.get(texts[0] ?? "")).toEqual([{ power: "hosts", quote: "Rule" }]);
  expect(found.get(texts[1] ?? "")).toEqual([]);
});

test("of two entries for one rule both count, and a number that isn't there counts for nothing", async () => {
  const context = await scriptedContext(() =>
    rules(
      { rule: 1, powers: [] },
      { rule: 1, powers: [{ power: "tests", quote: "a" }] },
      { rule: 9, powers: [] },
    ),
  );
  expect([...(await askPowers(["a"], place, context))]).toEqual([["a", [{ power: "tests", quote: "a" }]]]);
});

test.each([
  ["no JSON", () => "These rules are fine."],
  ["a power that isn't on the list", () => rules({ rule: 1, powers: [{ power: "none", quote: "" }] })],
  ["no answer at all", () => new InfraError("transport", "503", { billed: "no" })],
])("%s: nobody has looked", async (_, answer) => {
  expect(await askPowers(["a"], place, await scriptedContext(answer))).toEqual(new Map());
});

test("a person who answers by hand, and a model of a few billion parameters, aren't asked", async () => {
  for (const change of [{ models: { optimizer: "handoff/me" } }, { settings: { contracts: "plain" } }]) {
    const context = await scriptedContext(() => rules({ rule: 1, powers: [] }));
    const { models, settings } = context;
    const asked = {
      ...context,
      models: { ...models, ...("models" in change ? change.models : {}) },
      settings: { ...settings, ...("settings" in change ? { contracts: "plain" as const } : {}) },
    };
    expect(await askPowers(["a"], place, asked)).toEqual(new Map());
    expect(context.requests).toEqual([]);
  }
});
