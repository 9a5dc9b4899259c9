import { describe, expect, test } from "vitest";
import type { InfraError } from "../../../core/errors.ts";
import type { AgentRequest, Meter } from "../../../core/ports/agent.ts";
import type { Cost } from "../../../core/cost.ts";
import { bubblewrapSandbox } from "../../sandboxes/bubblewrap.ts";
import {
  callTools,
  callWith,
  createTestMeter,
  requestWith,
  type Step,
  serveSteps,
} from "../../../../test/support/scripted-rollout.ts";
import { sdkLoopAgent } from "./sdk-loop.ts";

/** An agent whose model takes these steps. */
async function start(...steps: readonly Step[]) {
  const server = await serveSteps(...steps);
  const agent = await sdkLoopAgent({
    model: "scripted/m",
    providers: { scripted: { baseURL: `${server.url}/v1` } },
    env: {},
    sandbox: bubblewrapSandbox(),
    priceOf: () => ({ input: 1, output: 2 }),
  });
  return { server, agent };
}

describe("a rollout with a skill", () => {
  test("loads it, writes files, runs its script in the sandbox, and is metered call by call", async () => {
    const { agent, server } = await start(
      callTools(["load_skill", { name: "greet" }]),
      callTools(
        ["write_file", { path: "hello.txt", content: "hello SKILLMARK\n" }],
        [
          "run",
          { command: "cat hello.txt notes.txt; ~/.agents/skills/greet/scripts/shout.sh; rm notes.txt" },
        ],
      ),
      { text: "Done." },
    );
    const { meter, booked, worst } = createTestMeter();
    const run = await agent.run(requestWith(), callWith(meter));
    expect(run).toMatchObject({
      text: "Done.",
      ended: "done",
      changed: { "hello.txt": "hello SKILLMARK\n", "notes.txt": null },
      skills: { offered: ["greet"], loaded: ["greet"] },
      calls: 3,
    });
    expect(run.toolCalls.map(({ name, failed }) => [name, failed])).toEqual([
      ["load_skill", false],
      ["write_file", false],
      ["run", false],
    ]);
    expect(run.toolCalls[0]?.output).toContain("Say SKILLMARK.");
    expect(run.toolCalls[2]?.output).toBe("hello SKILLMARK\nbe kind\nLOUD\n");
    expect(server.calls[0]?.request.system).toContain("How to write greeting files.");
    expect(server.calls[0]?.request.system).not.toContain("SKILLMARK");
    expect(server.calls.map(({ key }) => key)).toEqual(["k-1", "k-2", "k-3"]);
    expect(booked).toHaveLength(3);
    for (const [at, cost] of booked.entries()) {
      expect((cost as Cost).tokens).toBeLessThan(worst[at]?.tokens ?? 0);
      expect((cost as Cost).nanoUsd).toBeGreaterThan(0);
    }
    const total = booked.reduce((sum, cost) => sum + (cost as Cost).tokens, 0);
    expect(run.usage.inputTokens + run.usage.outputTokens).toBe(total);
  });

  test("without skills has no tool to load one, and instructions are part of the system text", async () => {
    const { agent, server } = await start({ text: "Hello." });
    await agent.run(requestWith({ skills: [], instructions: "Always write in French." }), callWith());
    const asked = server.calls[0]?.request;
    expect(asked?.tools.map(({ name }) => name)).toEqual(["read_file", "write_file", "list_files", "run"]);
    expect(asked?.system).toContain("Always write in French.");
    expect(asked?.system).not.toContain("available_skills");
  });

  test("ends at the first load when that is all that is asked", async () => {
    const { agent, server } = await start(callTools(["load_skill", { name: "greet" }]), { text: "Done." });
    const run = await agent.run(requestWith({ untilSkill: true }), callWith());
    expect(run).toMatchObject({ ended: "done", skills: { loaded: ["greet"] } });
    expect(server.callCount).toBe(1);
  });
});

describe("the tools", () => {
  test("reach nothing outside the workspace, also not through links that a command made", async () => {
    const { agent } = await start(
      callTools(["run", { command: "ln -s /etc/passwd link; ln -s /etc folder; ln -s notes.txt near" }]),
      callTools(
        ["read_file", { path: "link" }],
        ["read_file", { path: "../../../../etc/passwd" }],
        ["read_file", { path: "/etc/passwd" }],
        ["list_files", { path: "folder" }],
        ["write_file", { path: "folder/x", content: "x" }],
        ["write_file", { path: "link", content: "x" }],
        ["write_file", { path: "../x", content: "x" }],
        ["read_file", { path: "~/../../../etc/passwd" }],
        ["read_file", { path: "near" }],
        ["read_file", { path: "~/.agents/skills/greet/SKILL.md" }],
      ),
      { text: "Done." },
    );
    const run = await agent.run(requestWith(), callWith());
    expect(run.toolCalls.map(({ failed }) => failed)).toEqual([
      false,
      ...Array.from({ length: 8 }, () => true),
      false,
      false,
    ]);
    expect(JSON.stringify(run.toolCalls)).not.toContain("root:");
    expect(run.skills.loaded).toEqual(["greet"]);
  });

  test("tell the model of an exit code, a missing file, an unknown tool and an unknown skill", async () => {
    const { agent } = await start(
      callTools(
        ["run", { command: "echo out; echo err >&2; exit 3" }],
        ["read_file", { path: "nothing.txt" }],
        ["no_such_tool", { x: "1" }],
        ["load_skill", { name: "other" }],
        ["list_files", {}],
      ),
      { text: "Done." },
    );
    const { toolCalls, ended } = await agent.run(requestWith(), callWith());
    expect(ended).toBe("done");
    expect(toolCalls.map(({ name, failed }) => [name, failed])).toEqual([
      ["run", true],
      ["read_file", true],
      ["no_such_tool", true],
      ["load_skill", true],
      ["list_files", false],
    ]);
    expect(toolCalls[0]?.output).toBe("out\n\nerr\n\n[exit code 3]");
    expect(toolCalls[1]?.output).toBe("There is no nothing.txt.");
    expect(toolCalls[4]?.output).toBe("notes.txt");
  });
});

describe("the limits", () => {
  const loop = callTools(["list_files", {}]);
  const limited = (limits: Partial<AgentRequest["limits"]>) =>
    requestWith({ limits: { ...requestWith().limits, ...limits } });

  test.for([
    ["turns", { turns: 2 }, 2],
    ["calls", { calls: 3 }, 3],
    ["tokens", { tokens: 1 }, 1],
  ] as const)("%s ends the rollout with what was done until then", async ([name, limits, made]) => {
    const { agent, server } = await start(loop);
    const run = await agent.run(limited(limits), callWith());
    expect(run).toMatchObject({ ended: name, calls: made });
    expect(run.toolCalls.length).toBeGreaterThan(0);
    expect(server.callCount).toBe(made);
  });

  test("time counts while tools work", async () => {
    const { agent } = await start(callTools(["run", { command: "echo begun; sleep 30" }]), { text: "Done." });
    const run = await agent.run(limited({ seconds: 1 }), callWith());
    expect(run.ended).toBe("time");
    expect(run.toolCalls[0]).toMatchObject({ failed: true, output: expect.stringContaining("begun") });
  });

  test("a cut answer and a filtered one are outcomes of the task", async () => {
    const cut = await start({ text: "half an", finish: "length" });
    expect(await cut.agent.run(requestWith(), callWith())).toMatchObject({
      ended: "length",
      text: "half an",
    });
    const filtered = await start({ text: "", finish: "content-filter" });
    expect((await filtered.agent.run(requestWith(), callWith())).ended).toBe("refused");
  });
});

describe("what goes wrong outside", () => {
  test.for([
    ["401", "refused", { nanoUsd: 0, tokens: 0, calls: 0 }],
    ["429-no-header", "throttle", { nanoUsd: 0, tokens: 0, calls: 0 }],
    ["429-spend-limit", "money", { nanoUsd: 0, tokens: 0, calls: 0 }],
    ["503", "transport", { nanoUsd: 0, tokens: 0, calls: 0 }],
    ["cut", "transport", "worst"],
  ] as const)("%s in the second call is %s, after one try, and booked", async ([fault, kind, cost]) => {
    const { agent, server } = await start(callTools(["list_files", {}]), { text: "Done." });
    server.faults = (_key, _attempt, asked) => (asked.messages.length > 1 ? fault : undefined);
    const { meter, booked } = createTestMeter();
    const failure = await agent
      .run(requestWith(), callWith(meter))
      .catch((error: unknown) => error as InfraError);
    expect(failure).toMatchObject({ name: "InfraError", class: kind });
    expect(server.callCount).toBe(2);
    expect(booked[1]).toEqual(cost);
  });

  test("a cap that is reached stops before the call, with the meter's own error", async () => {
    const { agent, server } = await start({ text: "Done." });
    const cap = new Error("cap");
    const meter: Meter = { begin: () => Promise.reject(cap) };
    await expect(agent.run(requestWith(), callWith(meter))).rejects.toBe(cap);
    expect(server.callCount).toBe(0);
  });

  test("an abort ends a command and is thrown as it was given", async () => {
    const { agent } = await start(callTools(["run", { command: "sleep 3600" }]));
    const controller = new AbortController();
    const reason = new Error("stop");
    setTimeout(() => controller.abort(reason), 300);
    await expect(agent.run(requestWith(), { ...callWith(), signal: controller.signal })).rejects.toBe(reason);
  });

  test("a sandbox that cannot be made is its failure, not the model's problem", async () => {
    const { server } = await start(callTools(["run", { command: "true" }]));
    const agent = await sdkLoopAgent({
      model: "scripted/m",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      env: {},
      sandbox: bubblewrapSandbox({ program: "/no/such/bwrap" }),
      priceOf: () => undefined,
    });
    await expect(agent.run(requestWith(), callWith())).rejects.toMatchObject({ name: "InfraError" });
    expect(server.callCount).toBe(1);
  });
});
