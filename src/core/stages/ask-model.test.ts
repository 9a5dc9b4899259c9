import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import { ranking } from "../prompts/ranking.ts";
import { askModel } from "./ask-model.ts";

const place = { role: "optimizer", step: 1, stage: "select" } as const;
const good = '{"reasoning":"r","selected":[1,0]}';

test("a usable reply is parsed", async () => {
  const context = await scriptedContext(() => `Here it is:\n\`\`\`json\n${good}\n\`\`\``);
  expect(await askModel(ranking, "pool", place, context)).toEqual({ reasoning: "r", selected: [1, 0] });
  expect(context.requests).toHaveLength(1);
});

test("an unusable reply is asked for again with the reason", async () => {
  const context = await scriptedContext((_, nth) => (nth === 1 ? '{"selected":"all"}' : good));
  expect(await askModel(ranking, "pool", place, context)).toEqual({ reasoning: "r", selected: [1, 0] });
  const last = context.requests[1]?.messages.at(-1);
  expect(last?.content).toContain("selected:");
});

test("an unusable repair is tried once more, and three unusable replies give nothing", async () => {
  const third = await scriptedContext((_, nth) => (nth < 3 ? "I would rather not." : good));
  expect(await askModel(ranking, "pool", place, third)).toEqual({ reasoning: "r", selected: [1, 0] });
  const context = await scriptedContext(() => "I would rather not.");
  expect(await askModel(ranking, "pool", place, context)).toBeUndefined();
  expect(context.requests).toHaveLength(3);
  expect(context.requests[2]).toEqual(context.requests[1]);
});

test("a truncated reply is never parsed, however whole it looks", async () => {
  const context = await scriptedContext(() => ({ text: good, finish: "length" }));
  expect(await askModel(ranking, "pool", place, context)).toBeUndefined();
});

test("a reply far longer than its limit is not used, and not sent back", async () => {
  const huge = `{"reasoning":"${"r".repeat(500_000)}","selected":[1]}`;
  const context = await scriptedContext((_, nth) => (nth === 1 ? huge : good), { optimizerMaxTokens: 1000 });
  expect(await askModel(ranking, "pool", place, context)).toEqual({ reasoning: "r", selected: [1, 0] });
  expect(JSON.stringify(context.requests[1]).length).toBeLessThan(10_000);
});

test("an empty reply is repaired without two user turns in a row", async () => {
  const context = await scriptedContext((_, nth) => (nth === 1 ? "" : good));
  await askModel(ranking, "pool", place, context);
  expect(context.requests[1]?.messages.map(({ role }) => role)).toEqual(["user"]);
});

test("an infrastructure failure is not an answer", async () => {
  const context = await scriptedContext(() => new InfraError("transport", "reset"));
  await expect(askModel(ranking, "pool", place, context)).rejects.toThrow("reset");
});

test("an optimizer that does not answer, not even the second time, stops the run so that it can be resumed", async () => {
  const context = await scriptedContext((_, nth) =>
    nth === 1 ? new InfraError("transport", "reset") : good,
  );
  expect(await askModel(ranking, "pool", place, context)).toBeDefined();
  const silent = await scriptedContext(() => new InfraError("transport", "reset"));
  await expect(askModel(ranking, "pool", place, silent)).rejects.toMatchObject({
    code: "too-many-pending",
  });
});

test("a user's instructions replace ours, the reply format stays", async () => {
  const context = await scriptedContext(() => good, { prompts: { ranking: "Choose like a pirate." } });
  await askModel(ranking, "pool", place, context);
  expect(context.requests[0]?.system).toMatch(/^Choose like a pirate\.\n\nReply with one JSON object/);
  expect(context.requests[0]?.system).toContain("Contract: ranking");
});

test("the model of the place's role is asked, and named when it does not answer", async () => {
  const place = { role: "miner", step: 0, stage: "mine" } as const;
  const scripted = await scriptedContext((_, nth) =>
    nth === 1 ? '{"reasoning":"r","selected":[0]}' : new InfraError("transport", "reset"),
  );
  const context = { ...scripted, models: { ...scripted.models, miner: "scripted/miner-1" } };
  expect(await askModel(ranking, "pool", place, context)).toEqual({ reasoning: "r", selected: [0] });
  expect(scripted.requests[0]?.model).toBe("scripted/miner-1");
  await expect(askModel(ranking, "other pool", place, context)).rejects.toThrow(
    "scripted/miner-1 (miner) doesn't answer: reset",
  );
});

test("where the server can be told the form of the reply it is, and fields of the config win", async () => {
  const told = await scriptedContext(() => good, {
    extraBody: { optimizer: { seed: 7 }, target: { seed: 8 } },
  });
  const takesBody = new Set([told.models.optimizer]);
  await askModel(ranking, "pool", place, { ...told, takesBody });
  expect(told.requests[0]?.body).toMatchObject({
    seed: 7,
    response_format: { type: "json_schema", json_schema: { name: "ranking" } },
  });
  const plain = await scriptedContext(() => good, { extraBody: { optimizer: { response_format: null } } });
  await askModel(ranking, "pool", place, { ...plain, takesBody });
  await askModel(ranking, "pool", place, { ...(await scriptedContext(() => good)), takesBody: new Set() });
  expect(plain.requests[0]).not.toHaveProperty("body");
});
