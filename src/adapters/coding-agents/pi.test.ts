import { describe, expect, test } from "vitest";
import { whetstoneMarker } from "../../core/rules/learned/marker.ts";
import {
  agentOptions,
  callTools,
  callWith,
  createTestMeter,
  requestWith,
  serveSteps,
} from "../../../test/support/scripted-rollout.ts";
import { openAgent, openAgentModel } from "../agents/agents.ts";
import { locateProgram } from "../agents/find-cli.ts";

const readSkill = callTools(["read", { path: "/home/dev/.pi/agent/skills/greet/SKILL.md" }]);
const write = callTools(["write", { path: "hello.txt", content: "hello SKILLMARK\n" }]);

describe.skipIf(locateProgram("pi", process.env) === undefined)("pi in the sandbox", () => {
  test.for(["scripted/m1", "anthropic/m1", "openai/m1"])(
    "%s: reads its skill, writes a file, ends",
    async (model) => {
      const server = await serveSteps(readSkill, write, { text: "Done." });
      const agent = await openAgent("pi", agentOptions(server.url, model));
      const { meter, booked } = createTestMeter();
      const run = await agent.run(requestWith({ instructions: "STANDING ORDER" }), callWith(meter));
      expect(run).toMatchObject({
        text: "Done.",
        ended: "done",
        changed: { "hello.txt": "hello SKILLMARK\n" },
        skills: { offered: ["greet"], loaded: ["greet"] },
        calls: 3,
      });
      expect(run.toolCalls.map(({ name, failed }) => [name, failed])).toEqual([
        ["read", false],
        ["write", false],
      ]);
      expect(booked).toHaveLength(3);
      expect(server.calls[0]?.request).toMatchObject({
        model: "m1",
        system: expect.stringContaining("STANDING ORDER"),
      });
      expect(JSON.stringify(run)).not.toContain("sk-real-key-value");
    },
  );

  test("what the workspace says about itself does not steer it", async () => {
    const server = await serveSteps({ text: "Done." });
    const agent = await openAgent("pi", agentOptions(server.url));
    await agent.run(
      requestWith({ files: { "AGENTS.md": "FROM THE WORKSPACE", ".pi/SYSTEM.md": "TOO" } }),
      callWith(),
    );
    expect(JSON.stringify(server.calls[0]?.request)).not.toMatch(/FROM THE WORKSPACE|TOO"/);
  });

  test("a wrong key, a throttle and a cut stream are failures of the world after one try, although it exits with 0", async () => {
    const server = await serveSteps({ text: "Done." });
    const agent = await openAgent("pi", agentOptions(server.url));
    const failures = [
      ["401", "refused"],
      ["429-no-header", "throttle"],
      ["cut", "transport"],
    ] as const;
    for (const [fault, kind] of failures) {
      server.setOutage(fault);
      const before = server.callCount;
      await expect(agent.run(requestWith(), callWith())).rejects.toMatchObject({
        name: "InfraError",
        class: kind,
      });
      expect(server.callCount - before).toBe(1);
    }
  });

  test("a cut answer is an outcome of the task", async () => {
    const server = await serveSteps({ text: "half an", finish: "length" });
    const agent = await openAgent("pi", agentOptions(server.url));
    expect(await agent.run(requestWith(), callWith())).toMatchObject({ ended: "length", text: "half an" });
  });

  test("without tools it is a chat model with the system text that it is given", async () => {
    const server = await serveSteps({ text: "An answer." });
    const model = await openAgentModel("pi", agentOptions(server.url));
    const reply = await model.generate(
      {
        model: "pi/scripted/m1",
        system: "SYSTEM TEXT",
        messages: [{ role: "user", content: "Hello?" }],
        maxTokens: 99,
      },
      callWith(),
    );
    expect(reply).toMatchObject({ text: "An answer.", finish: "stop" });
    const asked = server.calls[0]?.request;
    expect(asked).toMatchObject({
      maxTokens: 99,
      tools: [],
      messages: [{ role: "user", content: `${whetstoneMarker}\n\nHello?` }],
    });
    expect(asked?.system).toMatch(/^SYSTEM TEXT\s/);
    expect(asked?.system.length).toBeLessThan(200);
  });
});
