import { rm } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { Meter } from "../../core/ports/agent.ts";
import type { Cost } from "../../core/ports/executor.ts";
import type { ModelRequest, Usage } from "../../core/ports/model.ts";
import { type Price, boundUsage, costOf, worstCase } from "../../core/price.ts";
import { classifyError } from "../models/classify.ts";
import { findOutsideReach } from "./outside-reach.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { createScrubber } from "./scrub-secrets.ts";
import {
  askForUsage,
  createWireReader,
  parseObject,
  readMaxTokens,
  type Wire,
  type WireBody,
  type WireReader,
  wires,
  withMaxTokens,
  writeError,
} from "./wire.ts";

export interface ModelProxyOptions {
  /** Where `/v1/<path>` goes: `<baseURL>/<path>`, and nowhere else. */
  readonly baseURL: string;
  /** The real credentials, asked for before each call. Throws `InfraError` when there are none any more. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Of the unit: with the number of the call it becomes the `Idempotency-Key`. */
  readonly key: string;
  readonly meter: Meter;
  /** The price of a model; a model without one is refused. @default no price: a login pays */
  readonly priceOf?: (model: string) => Price | undefined;
  /** Answers and tokens that one rollout may have. */
  readonly limits: { readonly calls: number; readonly tokens: number };
  /** The bound of an answer whose request names none. @default 32000 */
  readonly maxTokens?: number;
  /** Must not follow the process's own environment by itself. */
  readonly fetch: typeof globalThis.fetch;
  /** Sees each request that is let through, as its JSON text. */
  readonly onRequest?: (body: string) => void;
}

/** One call that the provider did not answer as it should. */
export interface ProxyFailure {
  readonly status: number | undefined;
  readonly class: InfraError["class"];
  readonly message: string;
  readonly retryAfterMs?: number;
}

export interface ProxyFacts {
  /** Whole answers. */
  readonly calls: number;
  readonly usage: Usage;
  /** Time in which at least one call was under way. */
  readonly waitedMs: number;
  /** In the order in which they came, at most the last hundred. */
  readonly failures: readonly ProxyFailure[];
  /** Failures since the last whole answer. */
  readonly failuresInRow: number;
  /** The limit that a call was refused for. */
  readonly limit?: "calls" | "tokens";
  /** Why no further call is let through: the spend cap, or a model without price. */
  readonly stopped?: Error;
}

export interface ModelProxy extends AsyncDisposable {
  /** A unix socket in a folder that only this user can enter. */
  readonly socket: string;
  facts(): ProxyFacts;
  /** Ends what is under way and waits until every call is booked. */
  close(): Promise<void>;
}

/**
 * The one way out of a box: an HTTP server on a unix socket that knows a single provider. It holds the key, so that
 * the agent needs none; it books each call before and after; and it lets nothing through but calls of a model.
 */
export async function modelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const { key, meter, limits, priceOf, maxTokens = 32_000 } = options;
  const upstream = readUpstream(options.baseURL);
  const folder = await makeOwnFolder("proxy");
  const socket = join(folder, "model.sock");
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const clock = busyClock();
  const failures: ProxyFailure[] = [];
  let [calls, begun, sent, failuresInRow] = [0, 0, 0, 0];
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteInputTokens: 0 };
  let limit: ProxyFacts["limit"];
  let stopped: Error | undefined;

  const fail = (error: unknown, secrets: readonly string[]): InfraError => {
    const { class: kind, status, message, retryAfterMs, billed } = classifyError(error, secrets);
    failures.push({ status, class: kind, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    if (failures.length > 100) failures.shift();
    failuresInRow += 1;
    return new InfraError(kind, message, { billed, status, retryAfterMs });
  };

  /** Why this call may not be made, as a sentence. */
  const refuse = (body: WireBody): string | undefined => {
    if (stopped !== undefined) return stopped.message;
    const reach = findOutsideReach(body);
    if (reach !== undefined) return `This sandbox lets nothing reach outside: ${reach} is refused.`;
    if (begun >= limits.calls) limit ??= "calls";
    else if (usage.inputTokens + usage.outputTokens >= limits.tokens) limit ??= "tokens";
    return limit === undefined
      ? undefined
      : `The limit of ${limits[limit]} ${limit} for this task is reached.`;
  };

  const answer = async (wire: Wire, path: string, request: IncomingMessage, response: ServerResponse) => {
    const read = await readBody(request);
    if (read === undefined) return send(response, 413, writeError(wire, "The request is too large."));
    const asked = parseObject(read);
    if (asked === undefined) return send(response, 400, writeError(wire, "The body is not a JSON object."));
    const refusal = refuse(asked);
    if (refusal !== undefined) return send(response, 400, writeError(wire, refusal));
    options.onRequest?.(read);

    const model = typeof asked["model"] === "string" ? asked["model"] : "";
    const price = priceOf?.(model);
    if (priceOf !== undefined && price === undefined) {
      stopped = new WhetstoneError(
        "price-unknown",
        `The agent asked for ${JSON.stringify(model)}, whose price is unknown.`,
        {
          hint: "Add its price to the settings, or let the agent use the priced model alone.",
        },
      );
      return send(response, 400, writeError(wire, stopped.message));
    }
    const most = readMaxTokens(wire, asked);
    // only a bound that the provider enforces bounds the bill
    const bounded = most === undefined && price !== undefined ? withMaxTokens(wire, asked, maxTokens) : asked;
    const text = JSON.stringify(askForUsage(wire, bounded));
    const worst = worstOf(
      { model, messages: [{ role: "user", content: text }], maxTokens: most ?? maxTokens },
      price,
    );

    await clock.run(() => book({ wire, path, text, request, response, price }, worst));
  };

  const book = async (call: Call, worst: Cost): Promise<void> => {
    const { wire, response } = call;
    begun += 1;
    let counts = false;
    try {
      const metered = await meter.begin(worst).catch((error: unknown) => {
        stopped ??= error instanceof Error ? error : new Error(String(error));
        return undefined;
      });
      if (metered === undefined)
        return send(response, 400, writeError(wire, stopped?.message ?? "The spend cap is reached."));
      let cost: Cost | "worst" = "worst";
      try {
        ({ cost, counts } = await forward(call));
      } finally {
        await metered.end(cost);
      }
    } finally {
      if (!counts) begun -= 1;
    }
  };

  const forward = async ({ wire, path, text, request, response, price }: Call): Promise<Forwarded> => {
    let secrets: readonly string[] = [];
    const abandoned = new AbortController();
    response.once("close", () => abandoned.abort());
    try {
      const real = await options.headers();
      secrets = secretsIn(real);
      sent += 1;
      const reply = await options.fetch(`${upstream}${path}`, {
        method: "POST",
        headers: requestHeaders(request, real, `${key}:${sent}`),
        body: text,
        redirect: "manual",
        signal: AbortSignal.any([closing.signal, abandoned.signal]),
      });
      if (!reply.ok) {
        const failure = await passFailure(reply, response, wire, secrets);
        return { cost: booked(fail(failure, secrets)), counts: false };
      }
      const streamed = /event-stream/.test(reply.headers.get("content-type") ?? "");
      const reader = createWireReader(wire, streamed);
      response.writeHead(reply.status, responseHeaders(reply.headers));
      await passBody(reply, response, reader, streamed, secrets, clock);
      const { usage: used, complete, error } = reader.read();
      if (!complete) {
        fail(error === undefined ? cutAnswer() : { statusCode: reply.status, responseBody: error }, secrets);
        return { cost: "worst", counts: false };
      }
      calls += 1;
      failuresInRow = 0;
      if (used === undefined) return { cost: "worst", counts: true };
      usage = addUsage(usage, used);
      return { cost: costOfUsage(used, price), counts: true };
    } catch (error) {
      // the agent went away or the box was ended: no failure of the provider, but perhaps a bill
      if (closing.signal.aborted || abandoned.signal.aborted) return { cost: "worst", counts: true };
      const failure = fail(error, secrets);
      if (response.headersSent) response.destroy();
      else {
        // nothing that a client would try again, unless trying again can help
        const status = failure.status ?? (failure.retryable ? 502 : 400);
        send(response, status, writeError(wire, failure.message));
      }
      return { cost: booked(failure), counts: false };
    }
  };

  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const route = findRoute(request);
    if (typeof route === "number")
      return send(response, route, writeError("openai-chat", "There is nothing here."));
    const done = answer(route.wire, route.path, request, response).catch(() => {
      response.destroy();
    });
    underWay.add(done);
    void done.finally(() => underWay.delete(done));
  });
  server.on("connect", (_request, stream) =>
    stream.end("HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n"),
  );
  server.on("clientError", (_error, stream) =>
    stream.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"),
  );
  // the agent's own deadline counts
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });

  const close = async (): Promise<void> => {
    closing.abort();
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    server.closeAllConnections();
    await Promise.all(underWay);
    await closed;
    await rm(folder, { recursive: true, force: true });
  };
  return {
    socket,
    facts: () => ({
      calls,
      usage,
      waitedMs: clock.busyMs(),
      failures: [...failures],
      failuresInRow,
      ...(limit === undefined ? {} : { limit }),
      ...(stopped === undefined ? {} : { stopped }),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A request of the agent, as it will be sent. */
interface Call {
  readonly wire: Wire;
  readonly path: string;
  readonly text: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly price: Price | undefined;
}

interface Forwarded {
  readonly cost: Cost | "worst";
  /** Towards the limit of calls; what the provider failed to answer does not. */
  readonly counts: boolean;
}

function readUpstream(baseURL: string): string {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw new WhetstoneError(
      "config-invalid",
      `${JSON.stringify(baseURL)} is not the address of a model server.`,
      {
        hint: "Write it as https://host/v1.",
      },
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Only a plain path to a model, asked of this machine. Anything else is a status. */
function findRoute(request: IncomingMessage): { readonly wire: Wire; readonly path: string } | number {
  const hosts = request.rawHeaders
    .filter((_, at) => at % 2 === 0)
    .filter((name) => name.toLowerCase() === "host");
  const host = request.headers.host ?? "";
  if (hosts.length > 1 || !/^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/.test(host)) return 403;
  const [path = "", query, ...more] = (request.url ?? "").split("?");
  const wire = Object.hasOwn(wires, path) ? wires[path] : undefined;
  if (wire === undefined || more.length > 0 || !/^[\w=&.-]*$/.test(query ?? "")) return 404;
  if (request.method !== "POST") return 404;
  return { wire, path: path.slice("/v1".length) + (query === undefined ? "" : `?${query}`) };
}

const maxBody = 32 * 1024 * 1024;

/** Undefined when it is too large. It is read to its end all the same, so that the client hears why. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
  }
  return size > maxBody ? undefined : Buffer.concat(chunks).toString("utf8");
}

function worstOf(request: ModelRequest, price: Price | undefined): Cost {
  if (price !== undefined) return worstCase(request, price);
  const { inputTokens, outputTokens } = boundUsage(request);
  return { nanoUsd: 0, tokens: inputTokens + outputTokens, calls: 1 };
}

const costOfUsage = (usage: Usage, price: Price | undefined): Cost => ({
  nanoUsd: price === undefined ? 0 : costOf(usage, price),
  tokens: usage.inputTokens + usage.outputTokens,
  calls: 1,
});

const booked = ({ billed }: InfraError): Cost | "worst" =>
  billed === "no" ? { nanoUsd: 0, tokens: 0, calls: 1 } : "worst";

const cutAnswer = (): InfraError =>
  new InfraError("transport", "The provider's answer ended before it was whole.", { billed: "unknown" });

/** What an agent may say to the provider about itself; its own credentials are not among it. */
const passedOn =
  /^(?:accept|content-type|user-agent|anthropic-[a-z-]+|openai-beta|x-stainless-[a-z-]+|x-app|x-claude-code-[a-z-]+|x-codex-[a-z-]+|originator|session[_-]id|conversation_id|version)$/;

function requestHeaders(
  request: IncomingMessage,
  real: Readonly<Record<string, string>>,
  idempotencyKey: string,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (passedOn.test(name) && typeof value === "string") headers[name] = value;
  }
  for (const [name, value] of Object.entries(real)) {
    const lower = name.toLowerCase();
    // features that the agent asks for, and those that its login needs
    const both = lower === "anthropic-beta" ? headers[lower] : undefined;
    headers[lower] =
      both === undefined ? value : [...new Set([...both.split(","), ...value.split(",")])].join(",");
  }
  return { ...headers, "accept-encoding": "identity", "idempotency-key": idempotencyKey };
}

const passedBack =
  /^(?:content-type|retry-after|retry-after-ms|request-id|x-request-id|(?:anthropic|x)-ratelimit-[a-z-]+|x-should-retry)$/;

const responseHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => passedBack.test(name)));

/** The values that must never be seen inside, also without the word before them. */
const secretsIn = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers)
    .filter(([name]) => !/^(?:anthropic-(?:beta|version)|user-agent|originator|version)$/i.test(name))
    .flatMap(([, value]) => [value, ...value.split(" ").slice(1)]);

/** Passes the failure on as it is, and gives it in the form that is classified everywhere. */
async function passFailure(
  reply: Response,
  response: ServerResponse,
  wire: Wire,
  secrets: readonly string[],
) {
  const statusCode = reply.status < 400 ? 502 : reply.status;
  const text = reply.status < 400 ? "" : (await reply.text()).slice(0, maxFailureText);
  if (reply.status < 400) await reply.body?.cancel();
  const said = text === "" ? writeError(wire, `The provider answered ${reply.status}.`) : text;
  const scrubber = createScrubber(secrets);
  const clean = Buffer.concat([scrubber.take(Buffer.from(said)), scrubber.finish()]);
  response.writeHead(statusCode, { "content-type": "application/json", ...responseHeaders(reply.headers) });
  response.end(clean);
  return {
    message: `HTTP ${reply.status}`,
    statusCode,
    responseBody: said,
    responseHeaders: Object.fromEntries(reply.headers),
  };
}

const maxFailureText = 256 * 1024;

/** Each piece as it comes; the reader listens. */
async function passBody(
  reply: Response,
  response: ServerResponse,
  reader: WireReader,
  streamed: boolean,
  secrets: readonly string[],
  clock: BusyClock,
): Promise<void> {
  const scrubber = createScrubber(secrets);
  const decoder = new TextDecoder();
  let pending = "";
  const listen = (text: string): void => {
    pending += text;
    if (!streamed) return;
    const lines = pending.split(/\r?\n/);
    pending = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data:")) reader.take(line.slice(5).trim());
  };
  for await (const piece of reply.body ?? []) {
    listen(decoder.decode(piece, { stream: true }));
    const clean = scrubber.take(piece);
    if (clean.length > 0 && !response.write(clean)) await clock.pause(() => drained(response));
  }
  if (streamed) listen("\n");
  else reader.take(pending);
  response.end(scrubber.finish());
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(body);
}

const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0),
  cacheWriteInputTokens: (a.cacheWriteInputTokens ?? 0) + (b.cacheWriteInputTokens ?? 0),
});

interface BusyClock {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** For what the agent itself makes us wait for. */
  pause(wait: () => Promise<void>): Promise<void>;
  busyMs(): number;
}

/** Measures the time in which something was under way, once however many were. */
function busyClock(): BusyClock {
  let [running, since, total] = [0, 0, 0];
  const enter = (): void => {
    if (running === 0) since = performance.now();
    running += 1;
  };
  const leave = (): void => {
    running -= 1;
    if (running === 0) total += performance.now() - since;
  };
  return {
    async run(work) {
      enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    async pause(wait) {
      leave();
      try {
        await wait();
      } finally {
        enter();
      }
    },
    busyMs: () => total + (running > 0 ? performance.now() - since : 0),
  };
}
