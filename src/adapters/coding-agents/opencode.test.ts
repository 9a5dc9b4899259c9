import { describe, expect, test } from "vitest";
import {
  agentOptions,
  callTools,
  callWith,
  requestWith,
  serveSteps,
} from "../../../test/support/scripted-rollout.ts";
import { openAgent, openAgentModel } from "../agents/agents.ts";
import { locateProgram } from "../agents/find-cli.ts";

const steps = [
  callTools(["skill", { name: "greet" }]),
  callTools(["write", { filePath: "/home/dev/project/hello.txt", content: "hello SKILLMARK\n" }]),
  { text: "Done." },
] as const;

const isInstalled = (name: string): boolean => locateProgram(name, process.env) !== undefined;

describe.skipIf(!isInstalled("opencode") || !isInstalled("rg"))("opencode in the sandbox", () => {
  test("loads its skill, writes a file, ends; in Anthropic's protocol", async () => {
    const server = await serveSteps(...steps);
    const agent = await openAgent("opencode", agentOptions(server.url, "anthropic/m1"));
    const files = { "notes.txt": "be kind\n", "AGENTS.md": "FROM THE WORKSPACE" };
    const run = await agent.run(requestWith({ files, instructions: "STANDING ORDER" }), callWith());
    expect(run).toMatchObject({
      text: "Done.",
      ended: "done",
      changed: { "hello.txt": "hello SKILLMARK\n" },
      skills: { offered: ["greet"], loaded: ["greet"] },
      calls: 3,
    });
    expect(run.toolCalls.map(({ name, failed }) => [name, failed])).toEqual([
      ["skill", false],
      ["write", false],
    ]);
    const asked = server.calls[0]?.request;
    expect(asked?.system).toContain("STANDING ORDER");
    expect(asked?.system).not.toContain("customize-opencode");
    expect(JSON.stringify(asked)).not.toContain("FROM THE WORKSPACE");
    expect(asked?.messages).toEqual([{ role: "user", content: requestWith().prompt }]);
    expect(JSON.stringify(run)).not.toContain("sk-real-key-value");
  });

  test("a throttle that it would wait for silently ends after three; in OpenAI's chat", async () => {
    const server = await serveSteps({ text: "Done." });
    server.setOutage("429-no-header");
    const agent = await openAgent("opencode", agentOptions(server.url));
    await expect(agent.run(requestWith(), callWith())).rejects.toMatchObject({
      name: "InfraError",
      class: "throttle",
    });
    expect(server.callCount).toBe(3);
  });

  test("without tools it is a chat model with the system text that it is given; in OpenAI's responses", async () => {
    const server = await serveSteps({ text: "An answer." });
    const model = await openAgentModel("opencode", agentOptions(server.url, "openai/m1"));
    const reply = await model.generate(
      {
        model: "opencode/openai/m1",
        system: "SYSTEM TEXT",
        messages: [{ role: "user", content: "Hello?" }],
        maxTokens: 99,
      },
      callWith(),
    );
    expect(reply).toMatchObject({ text: "An answer.", finish: "stop" });
    const asked = server.calls[0]?.request;
    expect(asked).toMatchObject({ protocol: "openai-responses", maxTokens: 99, tools: [] });
    expect(asked?.system).toMatch(/^SYSTEM TEXT\s/);
  });
});
