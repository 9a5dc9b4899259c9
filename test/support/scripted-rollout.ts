import { onTestFinished } from "vitest";
import { bubblewrapSandbox } from "../../src/adapters/sandboxes/bubblewrap.ts";
import type { AgentCall, AgentRequest, Meter } from "../../src/core/ports/agent.ts";
import type { Cost } from "../../src/core/cost.ts";
import type { ScriptedReply, ScriptedRequest } from "../../src/testing/scripted-server/chat-world.ts";
import { startScriptedServer } from "../../src/testing/scripted-server/start-scripted-server.ts";

/** A CLI in a box, whose model and key are those of a scripted server. */
export const agentOptions = (url: string, model = "scripted/m1") => ({
  model,
  settings: { baseURL: `${url}/v1`, apiKeyEnv: "THE_KEY" },
  env: { PATH: process.env["PATH"], THE_KEY: "sk-real-key-value" },
  home: "/nonexistent",
  sandbox: bubblewrapSandbox(),
  priceOf: () => ({ input: 1, output: 2 }),
});

/** A skill whose text holds a word that nothing else does. */
export const greetSkill = {
  name: "greet",
  files: {
    "SKILL.md": "---\nname: greet\ndescription: How to write greeting files.\n---\n\nSay SKILLMARK.\n",
    "scripts/shout.sh": "#!/bin/sh\necho LOUD\n",
  },
  executable: ["scripts/shout.sh"],
};

export const requestWith = (more: Partial<AgentRequest> = {}): AgentRequest => ({
  agent: "a/m",
  version: "1",
  prompt: "Write a greeting into hello.txt.",
  files: { "notes.txt": "be kind\n" },
  skills: [greetSkill],
  limits: { turns: 10, calls: 10, tokens: 1e6, seconds: 300, memoryMb: 2048, processes: 256, diskMb: 256 },
  ...more,
});

/** A meter without a cap that remembers what it was told. */
export function createTestMeter() {
  const booked: (Cost | "worst")[] = [];
  const worst: Cost[] = [];
  const meter: Meter = {
    begin: (cost) => {
      worst.push(cost);
      return Promise.resolve({ end: (actual) => Promise.resolve(void booked.push(actual)) });
    },
  };
  return { meter, booked, worst };
}

export const callWith = (meter: Meter = createTestMeter().meter): AgentCall => ({
  key: "k",
  signal: new AbortController().signal,
  meter,
});

export type Step = ScriptedReply | ((asked: ScriptedRequest) => ScriptedReply);

/** A real server whose model takes these steps, one for each answer that it sees of itself; the last one again and again. */
export async function serveSteps(...steps: readonly Step[]) {
  const server = await startScriptedServer({
    seed: 1,
    world: {
      reply(asked) {
        // in the Responses protocol an answer that only calls tools is no message
        const counted = asked.protocol === "openai-responses" ? "tool" : "assistant";
        const done = asked.messages.filter(({ role }) => role === counted).length;
        const step = steps[Math.min(done, steps.length - 1)] ?? { text: "Done." };
        return typeof step === "function" ? step(asked) : step;
      },
    },
  });
  onTestFinished(() => server.close());
  return server;
}

export const callTools = (
  ...named: readonly (readonly [name: string, input: Record<string, string>])[]
): ScriptedReply => ({
  text: "",
  toolCalls: named.map(([name, input]) => ({ name, arguments: input })),
});
