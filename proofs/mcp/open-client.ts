import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema, ElicitRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { join } from "node:path";

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

export interface ProjectClient extends AsyncDisposable {
  readonly client: Client;
  /** Whatever came that is no message of the protocol, or that no client should print. */
  readonly problems: string[];
  /** What the person was asked. */
  readonly asked: string[];
  call(name: string, given?: unknown, options?: CallOptions): Promise<Answer>;
}

export interface ClientOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the person behind the client says; without one the client cannot ask. */
  readonly person?: (message: string) => boolean | "decline";
}

const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Answer["data"];
}

/** What the protocol itself does not take is no answer of a tool. */
function refusedByProtocol(error: unknown): Result {
  if (!(error instanceof McpError)) throw error;
  return { isError: true, content: [{ text: `error ${error.code}: ${error.message}` }] };
}

/** `whetstone mcp` with the SDK's own client at the other end of its streams. */
export async function openClient({ cwd, env, person }: ClientOptions): Promise<ProjectClient> {
  const problems: string[] = [];
  const asked: string[] = [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "mcp"],
    cwd,
    env: { ...env },
    stderr: "ignore",
  });
  const client = new Client(
    { name: "proof", version: "1" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
      asked.push(message);
      const said = person(message);
      return said === "decline" ? { action: "decline" } : { action: "accept", content: { confirm: said } };
    });
  const onerror = ({ message }: Error) => {
    // progress that was under way when its call was cancelled
    if (!message.includes("unknown token")) problems.push(message);
  };
  Object.assign(client, { onerror });
  await client.connect(transport);
  // the client checks structured results against the schemas that it was told
  await client.listTools();
  return {
    client,
    problems,
    asked,
    async call(name, given, { signal, onProgress } = {}) {
      const asking = client.callTool(
        { name, arguments: given as Record<string, unknown> },
        CallToolResultSchema,
        {
          timeout: 60_000,
          signal,
          ...(onProgress === undefined
            ? {}
            : { onprogress: ({ message }) => onProgress(message ?? ""), resetTimeoutOnProgress: true }),
        },
      );
      const { isError, content, structuredContent } = (await asking.catch(refusedByProtocol)) as Result;
      const text = content.map((part) => part.text).join("\n");
      // oxlint-disable-next-line no-control-regex
      if (/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2066-\u2069]/.test(text))
        problems.push(`${name}: not printable`);
      return { isError: isError === true, text, data: structuredContent ?? {} };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}
