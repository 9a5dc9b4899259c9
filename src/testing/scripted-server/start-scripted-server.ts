import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { hashText } from "../../core/canonical.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { type Answer, completeAnswer } from "./answer.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { ChatWorld, ScriptedRequest } from "./chat-world.ts";
import {
  badRequest,
  checkFaultPlan,
  chooseFault,
  type Fault,
  type FaultKind,
  type FaultPlan,
  faultKind,
  type HttpFailure,
  httpFailure,
  isSpoiled,
  spoilReply,
} from "./fault.ts";
import { drawLatency, type LatencyPlan } from "./latency.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { BadBody, type Protocol } from "./protocol.ts";

export interface ScriptedServerOptions {
  /** Seeds every draw of the server, together with the call's key. */
  readonly seed: number;
  /** The source of the models' replies. */
  readonly world: ChatWorld;
  /** How long replies take. Errors come immediately. @default no delay */
  readonly latency?: LatencyPlan;
  /** The calls that fail. @default none */
  readonly faults?: FaultPlan;
  /** The required `Authorization` header. Calls with any other value get a 401. @default anything is accepted */
  readonly authorization?: string;
  /** The port to listen on at 127.0.0.1. @default any free port */
  readonly port?: number;
  /** Keep every call in `calls`, not just the counters. @default true */
  readonly record?: boolean;
}

export interface ScriptedServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. Clients use `<url>/v1` or `<url>/k/<key>/v1` as their base URL. */
  readonly url: string;
  /** Calls in the order of arrival; empty when `record` is false. */
  readonly calls: readonly CallRecord[];
  readonly callCount: number;
  /** How many calls each key got. */
  readonly callsByKey: ReadonlyMap<string, number>;
  /** The number of calls currently waiting for an answer. */
  inFlight(): number;
  /** The most calls that waited at the same time. */
  readonly maxInFlight: number;
  /** You can change it while the server runs. It applies to calls that arrive later. */
  faults: FaultPlan | undefined;
  /** Makes every call fail this way from now on, until `undefined` ends the outage. */
  setOutage(fault: Fault | undefined): void;
  /** Ends all connections, including waiting ones. */
  close(): Promise<void>;
}

export interface CallRecord {
  readonly key: string;
  /** 1 for the first call with this key. */
  readonly attempt: number;
  /** Milliseconds since the server started. */
  readonly at: number;
  readonly stream: boolean;
  readonly request: ScriptedRequest;
  readonly fault: FaultKind | undefined;
  /** The model's answer, even if the connection was cut; undefined if the fault came first. */
  readonly answer: Answer | undefined;
}

/**
 * A real HTTP server on 127.0.0.1 whose models follow a script. It speaks OpenAI chat completions
 * (`/v1/chat/completions`), OpenAI responses (`/v1/responses`) and Anthropic messages (`/v1/messages`), whole
 * and streamed, with tool calls, latency and faults.
 *
 * The key of a call is its `Idempotency-Key` header, else `<key>` of a path `/k/<key>/v1/…`, else the SHA-256
 * of its body. Replies and latency depend only on (seed, key), and faults only on (seed, key, attempt). Neither
 * the order of calls nor retries change a key's reply.
 *
 * @example
 * await using server = await startScriptedServer({ seed: 1, port: 4010, world: { reply: () => ({ text: "ok" }) } });
 * await evaluate({ tasks: "./tasks.jsonl", target: "any/model", baseURL: `${server.url}/v1`, spend: { calls: 100 } });
 */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const { seed, world, latency, authorization, record = true } = options;
  let faults = checkFaultPlan(options.faults);
  let outage: Fault | undefined;
  let inFlight = 0;
  let maxInFlight = 0;
  let callCount = 0;
  const startedAt = performance.now();
  const calls: CallRecord[] = [];
  const callsByKey = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answerCall(request, response, Buffer.concat(chunks).toString("utf8")));
  });
  // a test that pauses must not find its idle connection closed
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;

  const answerCall = (http: IncomingMessage, response: ServerResponse, text: string): void => {
    const { protocol, pathKey } = findRoute(http.url ?? "/");
    const headerKey = http.headers["idempotency-key"];
    const key = typeof headerKey === "string" ? headerKey : (pathKey ?? hashText(text));
    const refuse = (status: 400 | 404 | 405, message: string) =>
      sendFailure(response, protocol ?? openaiChat, badRequest(status, message), key);
    if (protocol === undefined) return refuse(404, `There is nothing at ${http.url}.`);
    if (http.method !== "POST") return refuse(405, "Only POST is served here.");
    try {
      const body = readBody(text);
      const isRefused = authorization !== undefined && http.headers.authorization !== authorization;
      answerRequest(protocol, protocol.readRequest(body, key), body, response, isRefused);
    } catch (error) {
      // 400 and not 500, so that a mistake in a script fails immediately, not after retries
      refuse(400, error instanceof BadBody ? error.message : `The script threw: ${String(error)}`);
    }
  };

  /** Counts the call and decides its outcome. */
  const take = (request: ScriptedRequest, stream: boolean, isRefused: boolean) => {
    const { key } = request;
    const attempt = (callsByKey.get(key) ?? 0) + 1;
    callsByKey.set(key, attempt);
    callCount += 1;
    const fault: Fault | undefined = isRefused
      ? "401"
      : (outage ?? chooseFault(faults, seed, attempt, request));
    const kind = fault === undefined ? undefined : faultKind(fault);
    const answer = answerOf(world, request, kind, `${seed}\u0000${key}\u0000${attempt}`);
    if (record) {
      calls.push({ key, attempt, at: performance.now() - startedAt, stream, request, fault: kind, answer });
    }
    return { fault, kind, answer };
  };

  const answerRequest = (
    protocol: Protocol,
    request: ScriptedRequest,
    body: JsonObject,
    response: ServerResponse,
    isRefused: boolean,
  ): void => {
    const { key, model } = request;
    const stream = body["stream"] === true;
    const { fault, kind, answer } = take(request, stream, isRefused);

    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    let timer: NodeJS.Timeout | undefined;
    response.once("close", () => {
      inFlight -= 1;
      clearTimeout(timer);
      if (timer !== undefined) timers.delete(timer);
    });
    if (kind === "timeout") return;
    if (kind === "reset") return void response.socket?.resetAndDestroy();
    const failure = fault === undefined ? undefined : httpFailure(fault, model);
    if (failure !== undefined) return sendFailure(response, protocol, failure, key);
    if (answer === undefined) return;
    const send = () => sendAnswer(response, protocol, answer, stream ? body : undefined, fault);
    const wait = drawLatency(latency, seed, key, model);
    if (wait <= 0) return send();
    timer = setTimeout(send, wait);
    timers.add(timer);
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host: "127.0.0.1", backlog: 4096 }, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      for (const timer of timers) clearTimeout(timer);
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    callsByKey,
    get callCount() {
      return callCount;
    },
    inFlight: () => inFlight,
    get maxInFlight() {
      return maxInFlight;
    },
    get faults() {
      return faults;
    },
    set faults(plan) {
      faults = checkFaultPlan(plan);
    },
    setOutage: (fault) => {
      outage = fault;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function findRoute(url: string): { readonly protocol?: Protocol; readonly pathKey?: string } {
  const [, pathKey, path = ""] = /^(?:\/k\/([\w.~:-]+))?(\/v1\/[a-z/]+)(?:\?|$)/.exec(url) ?? [];
  const protocol = protocols.get(path);
  return {
    protocol,
    pathKey,
  };
}

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ["/v1/chat/completions", openaiChat],
  ["/v1/responses", openaiResponses],
  ["/v1/messages", anthropicMessages],
]);

function readBody(text: string): JsonObject {
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    throw new BadBody("The body is not JSON.");
  }
  if (!isJsonObject(body)) throw new BadBody("The body must be a JSON object.");
  return body;
}

/** The model's answer, unless the fault comes first. */
function answerOf(
  world: ChatWorld,
  request: ScriptedRequest,
  kind: FaultKind | undefined,
  idName: string,
): Answer | undefined {
  if (kind === undefined || kind === "cut" || kind === "garbled")
    return completeAnswer(request, world.reply(request), idName);
  if (!isSpoiled(kind)) return undefined;
  return completeAnswer(request, spoilReply(kind, world.reply(request)), idName);
}

function sendAnswer(
  response: ServerResponse,
  protocol: Protocol,
  answer: Answer,
  streamBody: JsonObject | undefined,
  fault: Fault | undefined,
): void {
  const events =
    fault === "garbled"
      ? [streamBody === undefined ? garbage : `data: ${garbage}\n\n`]
      : streamBody === undefined
        ? [JSON.stringify(protocol.writeAnswer(answer))]
        : protocol.writeStream(answer, streamBody);
  const headers: Record<string, string | number> =
    streamBody === undefined
      ? { "content-type": "application/json", "content-length": Buffer.byteLength(events[0] ?? "") }
      : { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
  response.writeHead(200, { ...headers, "x-request-id": `req_${answer.id}` });
  if (fault !== undefined && faultKind(fault) === "cut") return cutBody(response, events.join(""), fault);
  const last = events.pop();
  for (const event of events) response.write(event);
  response.end(last);
}

const garbage = '{"type":"answer","te';

function cutBody(response: ServerResponse, body: string, fault: Fault): void {
  const bytes = Buffer.from(body);
  const wanted =
    typeof fault === "object" && fault.kind === "cut" ? fault.atByte : Math.floor(bytes.length / 2);
  // never the whole body, because a cut must always lose something
  const kept = bytes.subarray(0, Math.min(wanted, bytes.length - 1));
  response.flushHeaders();
  if (kept.length > 0) response.write(kept);
  setImmediate(() => response.socket?.destroySoon());
}

function sendFailure(response: ServerResponse, protocol: Protocol, failure: HttpFailure, key: string): void {
  const id = hashText(key).slice(0, 24);
  const body = JSON.stringify(protocol.writeError(failure, id));
  response.writeHead(failure.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-request-id": `req_${id}`,
    ...(failure.retryAfterSeconds === undefined ? {} : { "retry-after": String(failure.retryAfterSeconds) }),
  });
  response.end(body);
}
