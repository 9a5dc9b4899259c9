import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";

const start = join(import.meta.dirname, "../cli/start.ts");

test("a client has the tools before the server is loaded, and then talks to the server", async () => {
  const cwd = await tempDir({});
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  const transport = new StdioClientTransport({ command: process.execPath, args: [start, "mcp"], cwd, env });
  const client = new Client({ name: "test", version: "0" }, { capabilities: { elicitation: {} } });
  onTestFinished(() => client.close());
  const problems: Error[] = [];
  Object.assign(client, { onerror: (problem: Error) => void problems.push(problem) });
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("status");
  const stat = `/proc/${transport.pid}/stat`;
  const cpuSeconds = existsSync(stat) ? usedIn(readFileSync(stat, "utf8")) : 0;
  // 0.12 s where the whole program takes 1.5 s
  expect(cpuSeconds).toBeLessThan(0.6);
  const { structuredContent } = await client.callTool({ name: "status", arguments: {} });
  expect(structuredContent).toMatchObject({ runs: [], nights: null });
  expect((await client.listTools()).tools).toEqual(tools);
  expect(client.getServerVersion()?.name).toBe("whetstone");
  // an answer that came twice would be one without a question
  expect(problems).toEqual([]);
});

test("a client that asks for something else first, or says nothing more, is answered by the server", async () => {
  const cwd = await tempDir({});
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  const transport = new StdioClientTransport({ command: process.execPath, args: [start, "mcp"], cwd, env });
  const client = new Client({ name: "test", version: "0" }, { capabilities: {} });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const { structuredContent } = await client.callTool({ name: "proposals", arguments: {} });
  expect(structuredContent).toMatchObject({ trainings: [], nights: [] });
});

/** User's and system's, of a process's line in `/proc`. */
function usedIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
