import { chooseSandbox } from "../../src/ports.ts";
import { dummyKey } from "./dummy-key.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentLimits } from "../../src/ports.ts";
import { openAgent, openAgentModel } from "../../src/adapters/agents/agents.ts";
import { type Host, later, writeHome } from "./host.ts";
import { tapSandbox } from "./tap-sandbox.ts";

/** The CLI once with its tools and once without, with an ear on what the box sends. */
export async function listenAtBox({ folder, server }: Host, token: string) {
  const home = writeHome(join(folder, "heard"), {
    accessToken: token,
    refreshToken: "none",
    expiresAt: later(),
  });
  let heard = "";
  const options = {
    settings: { baseURL: `${server.url}/v1` },
    env: { PATH: process.env["PATH"] },
    home,
    sandbox: tapSandbox(await chooseSandbox("bubblewrap", { env: process.env }), (text) => {
      heard += text;
    }),
    priceOf: () => undefined,
  };
  const signal = new AbortController().signal;
  const agent = await openAgent("claude-code", { ...options, model: "claude-sonnet-4-5" });
  const asked = { agent: agent.id, version: agent.version, prompt: "Say ok.", files: {}, skills: [], limits };
  const meter = { begin: async () => ({ end: async () => {} }) };
  await agent.run(asked, { key: "heard-agent", signal, meter });
  const model = await openAgentModel("claude-code", { ...options, model: "claude-opus-4-5" });
  const messages = [{ role: "user", content: "Say ok." }] as const;
  await model.generate({ model: model.id, messages, maxTokens: 100 }, { key: "heard-model", signal });
  rmSync(join(folder, "heard"), { recursive: true });
  const count = (pattern: RegExp) => [...heard.matchAll(pattern)].length;
  return {
    requests: count(/POST \S+ HTTP\/1\.1\r\n/g),
    withDummy: count(new RegExp(`^authorization: Bearer ${dummyKey}\r$`, "gim")),
    withLogin: heard.split(token).length - 1,
  };
}

const limits: AgentLimits = {
  turns: 5,
  calls: 5,
  tokens: 1_000_000,
  seconds: 60,
  memoryMb: 4096,
  processes: 200,
  diskMb: 512,
};
