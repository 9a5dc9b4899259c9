import { expect, test } from "vitest";
import { startScriptedServer } from "../../testing/index.ts";
import { resolveModel } from "../models/providers.ts";
import { createRedactor } from "./create-redactor.ts";
import { redactingModel } from "./redacting-model.ts";

test("fault 21: no known value and no token reaches the provider, whatever a prompt holds", async () => {
  const [known, token] = ["correct!horse7battery", ["gl", "pat-", "x7Kd93mfLq02Vb8sTz5a"].join("")];
  await using server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "ok" }) } });
  const baseURL = `${server.url}/v1`;
  const model = await resolveModel("scripted/m", { env: {}, providers: { scripted: { baseURL } } });
  const redacting = redactingModel(model, await createRedactor({ env: { DB_PASSWORD: known } }));
  const reply = await redacting.generate(
    {
      model: model.id,
      system: `The password is ${known}.`,
      messages: [
        { role: "user", content: `Use ${token}: ${encodeURIComponent(known)}` },
        { role: "assistant", content: Buffer.from(`me:${known}`).toString("base64") },
        { role: "user", content: "Go on." },
      ],
      maxTokens: 10,
    },
    { key: "k", signal: new AbortController().signal },
  );
  expect(reply.text).toBe("ok");
  expect(redacting.id).toBe(model.id);
  const [call] = server.calls;
  expect(call?.request).toMatchObject({
    system: "The password is «SECRET:known:1».",
    messages: [
      { content: expect.stringMatching(/^Use «SECRET:gitlab:1»: «SECRET:known:1»$/) },
      { content: expect.stringMatching(/^\S{0,4}«SECRET:known:1»$/) },
      { content: "Go on." },
    ],
  });
});

test("a prompt that cannot be looked through is not sent", async () => {
  let sent = 0;
  const model = {
    id: "a/b",
    generate: async () => {
      sent += 1;
      return { text: "", finish: "stop" as const, usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  const redacting = redactingModel(model, { redact: () => Promise.reject(new Error("no")) });
  const request = { model: "a/b", messages: [{ role: "user" as const, content: "x" }], maxTokens: 1 };
  await expect(
    redacting.generate(request, { key: "k", signal: new AbortController().signal }),
  ).rejects.toThrow("no");
  expect(sent).toBe(0);
});
