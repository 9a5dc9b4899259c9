import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { readAllowed, readPlace } from "../../src/apps/cli/read-config.ts";
import { serveProject } from "../../src/apps/mcp/serve.ts";
import { capturedIo } from "./captured-io.ts";

export type Said = boolean | "decline";

/** The server of a folder, in this process, with the SDK's client before it. */
export async function openServer(cwd: string, person?: () => Said) {
  const { io } = capturedIo(cwd);
  const input = new PassThrough();
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => void input.end(),
  };
  const printJson = (message: unknown) => transport.onmessage?.(message as JSONRPCMessage);
  const served = serveProject({ ...io, printJson, takeStreams: () => input }, "0", {
    place: () => readPlace({}, io),
    allowed: (given) => readAllowed({ given }, io),
  });
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  const asked: string[] = [];
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      const said = person();
      return said === "decline" ? { action: "decline" } : { action: "accept", content: { confirm: said } };
    });
  await client.connect(transport);
  await client.listTools();
  onTestFinished(async () => {
    await client.close();
    await served;
  });
  return {
    client,
    asked,
    call: async (name: string, given: Readonly<Record<string, unknown>> = {}) => {
      const { content, structuredContent } = await client.callTool({ name, arguments: given });
      const text = (content as readonly { readonly text: string }[])[0]?.text ?? "";
      return { text, data: structuredContent as Record<string, unknown> | undefined };
    },
  };
}
