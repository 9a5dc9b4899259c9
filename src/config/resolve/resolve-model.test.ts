import { expect, test } from "vitest";
import { InfraError } from "../../core/errors.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { openModel } from "./resolve-model.ts";

const call = { key: "k", signal: new AbortController().signal };
const request = { model: "mine/model", messages: [], maxTokens: 1 };

async function thrownBy(fail: () => never | Promise<never>): Promise<unknown> {
  const model = await openModel(
    { id: "mine/model", isNear: true, generate: async () => fail() },
    { env: {} },
  );
  expect(model).toMatchObject({ id: "mine/model", isNear: true });
  return model.generate(request, call).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("what a model of one's own meets on the way to its server can be tried again, and says whether it was paid", async () => {
  const server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "ok" }) } });
  await server.close();
  const refused = () => fetch(server.url).then(() => Promise.reject(new Error("answered")));
  expect(await thrownBy(refused)).toMatchObject({ class: "transport", billed: "no" });
  const late = () =>
    new Promise<never>((_, reject) => reject(AbortSignal.abort(new DOMException("", "TimeoutError")).reason));
  expect(await thrownBy(late)).toMatchObject({ class: "transport", billed: "unknown" });
  const limited = () => Promise.reject(Object.assign(new Error("Slow down."), { statusCode: 429 }));
  expect(await thrownBy(limited)).toMatchObject({ class: "throttle" });
});

test("a fault of its own code stays what it is", async () => {
  const faults = [
    new TypeError("x is not a function"),
    new InfraError("money", "Nothing left.", { billed: "no" }),
  ];
  for (const fault of faults) expect(await thrownBy(() => Promise.reject(fault))).toBe(fault);
});
