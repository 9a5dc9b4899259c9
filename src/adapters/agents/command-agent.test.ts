import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Price } from "../../core/work/price.ts";
import { bubblewrapSandbox } from "../sandboxes/bubblewrap.ts";
import {
  callWith,
  createTestMeter,
  requestWith,
  serveSteps,
} from "../../../test/support/scripted-rollout.ts";
import { type CommandSettings, commandAgent } from "./command-agent.ts";

const open = (settings: CommandSettings, model?: string, price?: Price) =>
  commandAgent("mine", {
    ...(model === undefined ? {} : { model }),
    settings,
    env: { PATH: process.env["PATH"], THE_KEY: "sk-real-key-value" },
    home: "/nonexistent",
    sandbox: bubblewrapSandbox(),
    priceOf: () => price,
  });

const shell = (script: string): readonly string[] => ["sh", "-c", script];

/** A program outside the folders of the system. */
async function writeProgram(text: string): Promise<string> {
  const folder = await tempDir();
  await writeFile(join(folder, "agent"), text);
  await chmod(join(folder, "agent"), 0o755);
  return join(folder, "agent");
}

describe("a command", () => {
  test("gets the prompt on its input, prints its answer, and its files are its work", async () => {
    const agent = await open({ argv: shell("tee prompt.txt; rm notes.txt") });
    const run = await agent.run(requestWith(), callWith());
    const { prompt } = requestWith();
    expect(run).toMatchObject({
      text: prompt,
      ended: "done",
      changed: { "prompt.txt": prompt, "notes.txt": null },
      toolCalls: [],
      calls: 0,
    });
    expect(agent.id).toBe("mine/default");
  });

  test("reads an earlier conversation before its prompt", async () => {
    const agent = await open({ argv: ["cat"] });
    const before = [{ prompt: "What is this?", answer: "A shop." }];
    const { text } = await agent.run({ ...requestWith(), before }, callWith());
    expect(text).toBe(
      `Our conversation so far:\n\nThe person: What is this?\n\nThe agent: A shop.\n\nThe person: ${requestWith().prompt}`,
    );
  });

  test("may be a script that an interpreter is given, and another text of it is another agent", async () => {
    const script = await writeProgram("cat > /dev/null; echo from the script");
    const agent = await open({ argv: ["sh", script] });
    expect((await agent.run(requestWith(), callWith())).text).toBe("from the script");
    await writeFile(script, "echo something else");
    expect((await open({ argv: ["sh", script] })).version).not.toBe(agent.version);
  });

  test("finds prompt, skills, home and workspace where its words say", async () => {
    const script =
      'echo "$1"; cat "$SKILLS/greet/SKILL.md"; "$SKILLS/greet/scripts/shout.sh"; echo $PWD = $WHERE';
    const agent = await open({
      argv: [...shell(script), "_", "<{prompt}>"],
      env: { SKILLS: "{skills}", WHERE: "{workspace}" },
      skills: ".mine/skills",
    });
    const { text } = await agent.run(requestWith(), callWith());
    expect(text).toContain(`<${requestWith().prompt}>`);
    expect(text).toContain("Say SKILLMARK.");
    expect(text).toMatch(/LOUD\n(\S+) = \1$/);
  });

  test("reads its standing instructions in its own file, or before the prompt", async () => {
    const request = requestWith({ instructions: "STANDING ORDER" });
    const inFile = await open({ argv: shell("cat ~/.mine/RULES.md"), instructions: ".mine/RULES.md" });
    expect((await inFile.run(request, callWith())).text).toBe("STANDING ORDER");
    const before = await open({ argv: shell("cat") });
    expect((await before.run(request, callWith())).text).toBe(`STANDING ORDER\n\n${request.prompt}`);
  });

  test("that fails is no score: the last lines of its errors are told", async () => {
    const agent = await open({ argv: shell("echo half; echo no such thing >&2; exit 3") });
    await expect(agent.run(requestWith(), callWith())).rejects.toMatchObject({
      name: "InfraError",
      class: "transport",
      message: expect.stringMatching(/exit code 3.*no such thing/),
    });
    const tolerant = await open({ argv: shell("echo half; exit 3"), exitCodes: [0, 3] });
    expect(await tolerant.run(requestWith(), callWith())).toMatchObject({ ended: "done", text: "half" });
  });

  test("that goes on too long is ended, and that is the outcome", async () => {
    const agent = await open({ argv: shell("echo begun; sleep 60") });
    const limits = { ...requestWith().limits, seconds: 1 };
    expect(await agent.run(requestWith({ limits }), callWith())).toMatchObject({
      ended: "time",
      text: "begun",
    });
  });

  test("reaches its model through the proxy, which holds the key and meters", async () => {
    const server = await serveSteps({ text: "from the model" });
    const script = `
      const body = JSON.stringify({ model: process.env.MODEL, max_tokens: 9, messages: [{ role: "user", content: "hi" }] });
      const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.KEY };
      fetch(process.env.BASE + "/v1/chat/completions", { method: "POST", headers, body })
        .then((reply) => reply.json())
        .then((reply) => console.log(reply.choices[0].message.content, JSON.stringify(process.env)));`;
    const settings = {
      argv: ["node", "-e", script],
      env: { BASE: "{baseUrl}", KEY: "{key}", MODEL: "{model}" },
      baseURL: `${server.url}/v1`,
      apiKeyEnv: "THE_KEY",
    };
    const agent = await open(settings, "somebody/m1", { input: 1, output: 2 });
    expect(agent.id).toBe("mine/somebody/m1");
    const { meter, booked } = createTestMeter();
    const run = await agent.run(requestWith(), callWith(meter));
    expect(run).toMatchObject({ ended: "done", calls: 1, text: expect.stringMatching(/^from the model/) });
    expect(run.text).not.toContain("sk-real-key-value");
    expect(booked).toHaveLength(1);
    expect(server.calls[0]?.request.model).toBe("m1");

    const unpriced = await open(settings, "somebody/m1");
    await expect(unpriced.run(requestWith(), callWith())).rejects.toMatchObject({ code: "price-unknown" });
    expect(server.callCount).toBe(1);
  });

  test("without a model in its settings cannot reach any", async () => {
    const script = `fetch(process.env.BASE + "/v1/messages", { method: "POST", body: '{"model":"m","messages":[]}' }).then((reply) => process.exit(reply.ok ? 0 : 1))`;
    const agent = await open({ argv: ["node", "-e", script], env: { BASE: "{baseUrl}" } });
    await expect(agent.run(requestWith(), callWith())).rejects.toMatchObject({
      class: "refused",
      message: expect.stringContaining("its settings don't name one"),
    });
  });

  test("outside the system's folders is mounted, and another file is another version", async () => {
    const one = await open({ argv: [await writeProgram("#!/bin/sh\necho one\n")] });
    const two = await open({ argv: [await writeProgram("#!/bin/sh\necho two\n")] });
    expect((await one.run(requestWith(), callWith())).text).toBe("one");
    expect(one.version).not.toBe(two.version);
    const again = await open({ argv: [await writeProgram("#!/bin/sh\necho one\n")] });
    expect(again.version).toBe(one.version);
  });

  test("that does not exist is said before anything runs", async () => {
    await expect(open({ argv: ["no-such-program-here"] })).rejects.toMatchObject({ code: "agent-missing" });
  });
});
