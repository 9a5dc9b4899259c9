import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { z } from "zod";
import { loadPeer } from "../../adapters/load-peer.ts";
import type { JournalPlace } from "../../adapters/journals/open-journal.ts";
import type { ImportGuard } from "../../config/trust/guard-imports.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { own } from "../../core/own.ts";
import { stateOfFiles } from "../../run/trust/differences.ts";
import type { Io } from "../../show/io.ts";
import { unexpected } from "../../show/report-error.ts";
import { shownFrom } from "../../show/shown-from.ts";
import { readArguments } from "./arguments.ts";
import { canAsk, confirm } from "./confirm.ts";
import { answered } from "./first-answers.ts";
import { line, printable } from "./printable.ts";
import type { McpCall } from "./tool.ts";
import { tools } from "./tools.ts";

/** The most calls answered at a time. */
const mostCalls = 8;
/** The largest message from the client, in bytes. */
const mostBytes = 1_000_000;
const mostText = 16_000;
/** How often a long call reports that it's still going, so that clients don't give up. */
const heartbeatMs = 10_000;

export const instructions =
  "Trains agent skills and tests the result on held-out tasks before you adopt it. Plan before you train. A verdict states what a sealed test found: only `better` is proof. Never adopt anything the person didn't ask for; adopting asks them to confirm.";

/** How the server reads the project's config. */
interface ConfigReading {
  readonly place: () => Promise<JournalPlace>;
  readonly allowed: (given: Config) => Promise<{ readonly config: Config; readonly guard: ImportGuard }>;
}

/** Serves one project to one client until it leaves or the process is stopped. */
export async function serveProject(io: Io, version: string, reading: ConfigReading): Promise<void> {
  const { McpServer } = await loadPeer<typeof import("@modelcontextprotocol/sdk/server/mcp.js")>(
    "@modelcontextprotocol/sdk/server/mcp.js",
  );
  const { StdioServerTransport } = await loadPeer<typeof import("@modelcontextprotocol/sdk/server/stdio.js")>(
    "@modelcontextprotocol/sdk/server/stdio.js",
  );
  const { server } = new McpServer(
    { name: "whetstone", version },
    { capabilities: { tools: {} }, instructions },
  );
  const input = io.takeStreams();
  const transport = new StdioServerTransport(input, undefined, { maxBufferSize: mostBytes });
  // only main writes to standard output, and makes everything printable
  transport.send = async (message) => {
    if ("result" in message && answered.delete(message.id)) return;
    io.printJson(message);
  };
  const working = answerCalls(server, io, reading);
  const left = new Promise<void>((resolve) => {
    Object.assign(server, {
      onclose: resolve,
      onerror: ({ message }: Error) => io.warn(line(`mcp: ${message}`)),
    } satisfies Pick<Server, "onclose" | "onerror">);
    for (const end of ["end", "close"]) input.once(end, resolve);
    io.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.connect(transport);
  await left;
  // cancels every call, and a training records where it stopped
  await server.close();
  await Promise.allSettled(working);
}

/** Returns the calls in progress. */
function answerCalls(server: Server, io: Io, reading: ConfigReading): ReadonlySet<Promise<unknown>> {
  const working = new Set<Promise<unknown>>();
  const project = openProject(io.cwd, reading);
  server.setRequestHandler(z.object({ method: z.literal("tools/list") }), () => ({ tools: listTools() }));
  server.setRequestHandler(callSchema, async ({ params: { name, arguments: given, _meta } }, extra) => {
    const tell = progressTeller(_meta?.progressToken, async (params) => {
      // a client that cancelled the call no longer knows its token
      if (!extra.signal.aborted) await extra.sendNotification({ method: "notifications/progress", params });
    });
    const call: McpCall = {
      ...project,
      get isTraining() {
        return project.isTraining;
      },
      signal: extra.signal,
      tell: tell.say,
      canAsk: canAsk(server),
      confirm: (question) => confirm(server, question, extra.signal),
    };
    const answer = perform(name, given, call, working.size, io);
    working.add(answer);
    try {
      return await answer;
    } finally {
      tell.close();
      working.delete(answer);
    }
  });
  return working;
}

/** The tools as a client gets them; `first-answers.json` contains the same. */
export const listTools = () =>
  Object.entries(tools).map(([name, { title, description, input, output, annotations }]) => ({
    name,
    title,
    description,
    inputSchema: jsonSchema(input, "input"),
    outputSchema: jsonSchema(output, "output"),
    annotations: { ...annotations },
  }));

/** Unparsed arguments: each tool has its own schema. */
const callSchema = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    name: z.string(),
    arguments: z.unknown().optional(),
    _meta: z.looseObject({ progressToken: z.union([z.string(), z.number()]).optional() }).optional(),
  }),
});

async function perform(name: string, given: unknown, call: McpCall, busy: number, io: Io) {
  try {
    const tool = own(tools, name);
    if (tool === undefined)
      throw new WhetstoneError("not-found", `Unknown tool "${line(name, 60)}".`, {
        hint: `Available tools: ${Object.keys(tools).join(", ")}.`,
      });
    if (busy >= mostCalls)
      throw new WhetstoneError("not-allowed", `${busy} calls are already in progress.`, {
        hint: "Wait until one of them ends.",
      });
    const { text, data } = await tool.call(readArguments(name, tool.input, given), call);
    return {
      content: [{ type: "text" as const, text: printable(text, mostText) }],
      structuredContent: tool.output.parse(data),
    };
  } catch (error) {
    return { isError: true, content: [{ type: "text" as const, text: errorText(error, io) }] };
  }
}

function errorText(error: unknown, io: Io): string {
  if (!(error instanceof WhetstoneError)) {
    io.warn(unexpected(error));
    return "error failed: This shouldn't happen. The server's standard error has the details.";
  }
  const { code, message, hint } = error;
  const next = hint === undefined ? "" : `\nnext: ${hint}`;
  return printable(`error ${code}: ${message}${next}`, 4000);
}

/** Reports a call's progress at most once a second, and repeats it as a heartbeat. Silent if the client doesn't listen. */
function progressTeller(
  token: string | number | undefined,
  send: (params: {
    readonly progressToken: string | number;
    readonly progress: number;
    readonly message: string;
  }) => Promise<void>,
): { readonly say: (message: string) => void; readonly close: () => void } {
  if (token === undefined) return { say: () => {}, close: () => {} };
  let [progress, saidAt, latest] = [0, 0, "working"];
  const say = (message: string): void => {
    latest = message;
    if (Date.now() - saidAt < 1000) return;
    saidAt = Date.now();
    progress += 1;
    send({ progressToken: token, progress, message: line(message) }).catch(() => {});
  };
  const timer = setInterval(() => say(latest), heartbeatMs);
  return { say, close: () => clearInterval(timer) };
}

type ServedProject = Pick<McpCall, "cwd" | "project" | "withConfig" | "training" | "isTraining">;

/** The folder that the server was started in. */
function openProject(cwd: string, reading: ConfigReading): ServedProject {
  let isTraining = false;
  const loaded = new Map<string, string>();
  return {
    cwd,
    get isTraining() {
      return isTraining;
    },
    async project() {
      const { journalDir, journalUrl } = await reading.place();
      return { cwd, journal: journalUrl ?? journalDir };
    },
    async withConfig(given: Config, body) {
      refuseStale(loaded, cwd);
      const { config, guard } = await reading.allowed(given);
      try {
        return await body(config);
      } finally {
        guard.release();
        for (const [path, hash] of guard.files) if (!path.endsWith(".json")) loaded.set(path, hash);
      }
    },
    async training(body) {
      if (isTraining)
        throw new WhetstoneError("run-locked", "A training or a night is already running in this server.", {
          hint: "Wait for it or cancel it. You can resume it later.",
        });
      isTraining = true;
      try {
        return await body();
      } finally {
        isTraining = false;
      }
    },
  };
}

/** Node loads a file only once, so a later change wouldn't take effect. */
function refuseStale(loaded: ReadonlyMap<string, string>, cwd: string): void {
  const states = stateOfFiles({ files: Object.fromEntries(loaded) });
  const changed = Object.keys(states).find((path) => states[path] !== "same");
  if (changed === undefined) return;
  throw new WhetstoneError(
    "not-allowed",
    `${shownFrom(cwd)(changed)} has changed since this server loaded it.`,
    { hint: "Restart the server. In most clients, reconnecting it does that." },
  );
}

const jsonSchema = (schema: z.ZodObject, io: "input" | "output") => ({
  ...z.toJSONSchema(schema, { target: "draft-7", io }),
  type: "object" as const,
});
