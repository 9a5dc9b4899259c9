import type { AnyMessage, ClientConnection, SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import { type Json, isObject, readObject } from "../../core/json.ts";
import type { InstalledSkill } from "../../core/ports/agent.ts";
import type { AgentReading, CliFailure, EventReader } from "./agent-cli.ts";
import { listAt, recordAt, textAt } from "./event-fields.ts";
import { skillNamedIn, skillTextIn } from "./install-skills.ts";
import { createRecord, readingOf } from "./rollout-record.ts";

export interface AcpSession extends Disposable {
  /** Requests one turn in this folder and yields the agent's input, which ends with the turn. */
  start(workspace: string, prompt: string): AsyncIterable<string>;
  /** Receives the agent's output. */
  readonly reader: EventReader;
  /** Called some time after the turn has ended. */
  readonly over: AbortSignal;
}

type Sdk = typeof import("@agentclientprotocol/sdk");

/** The client's side of one session with one prompt. */
export function acpSession(sdk: Sdk, skills: readonly InstalledSkill[]): AcpSession {
  const input = createQueue();
  const over = new AbortController();
  const updates = readUpdates(skills);
  let ended: AgentReading["ended"];
  let failure: CliFailure | undefined;
  let fromAgent: ReadableStreamDefaultController<AnyMessage> | undefined;
  let connection: ClientConnection | undefined;
  let grace: NodeJS.Timeout | undefined;

  const stream = {
    readable: new ReadableStream<AnyMessage>({
      start(controller) {
        fromAgent = controller;
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        input.push(`${JSON.stringify(message)}\n`);
      },
    }),
  };
  const app = sdk
    .client({ name: "whetstone" })
    .onRequest(sdk.methods.client.session.requestPermission, ({ params }) => {
      const allowed = params.options.find(({ kind }) => kind === "allow_always" || kind === "allow_once");
      return {
        outcome:
          allowed === undefined
            ? { outcome: "cancelled" }
            : { outcome: "selected", optionId: allowed.optionId },
      };
    })
    .onNotification(sdk.methods.client.session.update, ({ params }) => updates.take(params.update));

  async function takeTurn({ agent }: ClientConnection, cwd: string, text: string): Promise<void> {
    const { agent: methods } = sdk.methods;
    try {
      await agent.request(methods.initialize, {
        protocolVersion: sdk.PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      });
      const { sessionId } = await agent.request(methods.session.new, { cwd, mcpServers: [] });
      const { stopReason } = await agent.request(methods.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text }],
      });
      ended = endings[stopReason];
      if (ended === undefined) failure = { message: `The turn ended with "${stopReason}".` };
    } catch (error) {
      failure = { message: messageOf(error) };
    } finally {
      input.end();
      grace = setTimeout(() => over.abort(), graceMs);
    }
  }

  return {
    start(workspace, prompt) {
      connection = app.connect(stream);
      void takeTurn(connection, workspace, prompt);
      return input.pieces();
    },
    reader: {
      line(text) {
        const message = readObject(text);
        // any other output isn't for us
        if (message?.["jsonrpc"] === "2.0") fromAgent?.enqueue(message as unknown as AnyMessage);
      },
      read: () => readingOf(updates, { ended, failure }),
    },
    over: over.signal,
    [Symbol.dispose]() {
      clearTimeout(grace);
      connection?.close();
      input.end();
    },
  };
}

const graceMs = 3000;

const endings: Readonly<Partial<Record<StopReason, NonNullable<AgentReading["ended"]>>>> = {
  end_turn: "done",
  max_tokens: "length",
  max_turn_requests: "turns",
  refusal: "refused",
};

/** A JSON-RPC error's message often only says "Internal error"; the details are in another field. */
function messageOf(error: unknown): string {
  const { message, data } = error as { readonly message?: unknown; readonly data?: unknown };
  const details = isObject(data) || typeof data === "string" ? ` ${JSON.stringify(data).slice(0, 300)}` : "";
  return `${typeof message === "string" ? message : String(error)}${details}`;
}

/** Collects text and tool calls. A call arrives in pieces: its name, then its input, then its result. */
function readUpdates(skills: readonly InstalledSkill[]) {
  const record = createRecord();
  const calls = new Map<string, { name: string; input: Json; isTold: boolean }>();
  let said = "";
  let messageId: unknown;

  function tell(): void {
    record.say(said);
    said = "";
  }

  function takeCall(update: SessionUpdate): void {
    tell();
    const id = textAt(update, "toolCallId");
    const call = calls.get(id) ?? { name: nameOf(update), input: {}, isTold: false };
    calls.set(id, call);
    const input = recordAt(update, "rawInput");
    if (Object.keys(input).length > 0) call.input = input as Json;
    const status = textAt(update, "status");
    if (status === "" || status === "pending") return;
    if (!call.isTold) record.call(id, call.name, call.input);
    call.isTold = true;
    if (status === "in_progress") return;
    const output = outputOf(update);
    record.result(id, output, status === "failed");
    const read = `${JSON.stringify(call.input)} ${JSON.stringify(listAt(update, "locations"))}`;
    const skill = skillNamedIn(read, skills) ?? skillTextIn(output, skills);
    if (status === "completed" && skill !== undefined) record.load(skill);
  }

  return {
    take(update: SessionUpdate): void {
      if (update.sessionUpdate === "agent_message_chunk") {
        if (update.messageId !== messageId) tell();
        messageId = update.messageId;
        said += textAt(update.content, "text");
      }
      if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
        takeCall(update);
    },
    read() {
      const told = record.read();
      if (said === "") return told;
      const last = { role: "assistant" as const, content: said };
      return { ...told, text: said, conversation: [...told.conversation, last] };
    },
  };
}

/** A one-word title is the tool's own name. A longer one is about this call, so we use its kind instead. */
function nameOf(update: SessionUpdate): string {
  const title = textAt(update, "title");
  return /^[\w.:-]+$/.test(title) ? title : textAt(update, "kind") || "other";
}

function outputOf(update: SessionUpdate): string {
  const texts = listAt(update, "content").map((part) =>
    textAt(part, "type") === "diff"
      ? `wrote ${textAt(part, "path")}`
      : textAt(recordAt(part, "content"), "text"),
  );
  const shown = texts.filter((text) => text !== "").join("\n");
  if (shown !== "") return shown;
  const raw = recordAt(update, "rawOutput");
  return Object.keys(raw).length === 0 ? textAt(update, "rawOutput") : JSON.stringify(raw);
}

/** Pieces of text that one side pushes and the other awaits. */
function createQueue() {
  const waiting: string[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  return {
    push(piece: string): void {
      waiting.push(piece);
      wake();
    },
    end(): void {
      isOver = true;
      wake();
    },
    async *pieces(): AsyncGenerator<string> {
      for (;;) {
        const piece = waiting.shift();
        if (piece !== undefined) yield piece;
        else if (isOver) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
