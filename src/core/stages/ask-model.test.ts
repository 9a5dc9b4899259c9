import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { InfraError } from "../errors.ts";
import { ranking } from "../prompts/ranking.ts";
import { askModel } from "./ask-model.ts";

test("the model of the place's role is asked, and named when it does not answer", async () => {
  const place = { role: "miner", step: 0, stage: "mine" } as const;
  const scripted = await scriptedContext((_, nth) =>
    nth === 1 ? '{"reasoning":"r","selected":[0]}' : new InfraError("transport", "reset"),
  );
  const context = { ...scripted, models: { ...scripted.models, miner: "scripted/miner-1" } };
  expect(await askModel(ranking, "pool", place, context)).toEqual({ reasoning: "r", selected: [0] });
  expect(scripted.requests[0]?.model).toBe("scripted/miner-1");
  await expect(askModel(ranking, "other pool", place, context)).rejects.toThrow(
    "scripted/miner-1 (miner) does not answer: reset",
  );
});
