import { rm } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { Meter } from "../../core/ports/agent.ts";
import { type Cost, noCost } from "../../core/cost.ts";
import type { Usage } from "../../core/ports/model.ts";
import { type Price, costOf, worstCase } from "../../core/work/price.ts";
import { createSpend } from "../../core/work/spend.ts";
import { classifyError } from "../models/classify.ts";
import { freePrice } from "../models/prices.ts";
import { allowHeaders } from "./allow/allow-headers.ts";
import { allowRequest } from "./allow/allow-request.ts";
import { type BusyClock, busyClock } from "./busy-clock.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { createScrubber } from "./scrub-secrets.ts";
import { createWireReader, type Wire, type WireReader, wires, writeError } from "./wire.ts";
import { answeringHost } from "../is-loopback-host.ts";
import { own } from "../../core/own.ts";

export interface ModelProxyOptions {
  /** The destination of `/v1/<path>`: `<baseURL>/<path>`, and nothing else. */
  readonly baseURL: string;
  /** The real credentials, requested before each call. Throws `InfraError` if there are none any more. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** The unit's key. With the call's number it becomes the `Idempotency-Key`. */
  readonly key: string;
  readonly meter: Meter;
  /** A model's price; a model without one is refused. @default no price, because a login pays */
  readonly priceOf?: (model: string) => Price | undefined;
  /** The answers and tokens one rollout may have. */
  readonly limits: { readonly calls: number; readonly tokens: number };
  /** The token limit for answers whose request doesn't set one. @default 32000 */
  readonly maxTokens?: number;
  /** Plain request fields to allow in addition to the known ones. @default none */
  readonly allow?: readonly string[];
  /** Must not read the process's own environment. */
  readonly fetch: typeof globalThis.fetch;
  /** Sees each allowed request as its JSON text. */
  readonly onRequest?: (body: string) => void;
}

/** One call that the provider didn't answer properly. */
export interface ProxyFailure {
  readonly status: number | undefined;
  readonly class: InfraError["class"];
  readonly message: string;
  readonly retryAfterMs?: number;
}

export interface ProxyFacts {
  /** The host that was called. */
  readonly host: string;
  /** Complete answers. */
  readonly calls: number;
  readonly usage: Usage;
  /** Time in which at least one call was running. */
  readonly waitedMs: number;
  /** Time in which calls were held back by the caps, or after the provider had rejected one for now. */
  readonly heldMs: number;
  /** In order, at most the last hundred. */
  readonly failures: readonly ProxyFailure[];
  /** Failures since the last complete answer. */
  readonly failuresInRow: number;
  /** The limit that a call was refused for. */
  readonly limit?: "calls" | "tokens";
  /** Fields and headers removed from requests, each once. */
  readonly removed: readonly string[];
  /** The reason no further calls are allowed: the spend cap, a model without a price, or a bill above the maximum. */
  readonly stopped?: Error;
}

export interface ModelProxy extends AsyncDisposable {
  /** A Unix socket in a folder that only this user can enter. */
  readonly socket: string;
  facts(): ProxyFacts;
  /** Stops all running calls and waits until every call is booked. */
  close(): Promise<void>;
}

/**
 * The only way out of a box: an HTTP server on a Unix socket that reaches a single provider. It keeps the key, so the
 * agent needs none. It sends on only known fields, so a call's maximum cost is known in advance. It books each call
 * before and after, and allows nothing but model calls.
 */
export async function modelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const state = createState(options);
  const folder = await makeOwnFolder("proxy");
  const socket = join(folder, "model.sock");
  const underWay = new Set<Promise<void>>();
  const atWork = createTurns(mostAtWork);
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const route = findRoute(request);
    if (typeof route === "number") return send(response, route, writeError("openai-chat", "Nothing here."));
    const done = atWork(() => answer(route, request, response, state)).catch(() => {
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
  // the agent's own deadline applies
  server.requestTimeout = 0;
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });

  const close = async (): Promise<void> => {
    state.closing.abort();
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    server.closeAllConnections();
    await Promise.all(underWay);
    await closed;
    await rm(folder, { recursive: true, force: true });
  };
  return { socket, facts: () => factsOf(state), close, [Symbol.asyncDispose]: close };
}

type State = ReturnType<typeof createState>;

function createState(options: ModelProxyOptions) {
  return {
    options,
    upstream: readUpstream(options.baseURL),
    closing: new AbortController(),
    clock: busyClock(),
    held: busyClock(),
    // a rollout's limits work like money: reserved before a call, released after it
    allowance: createSpend({ caps: options.limits, already: noCost, elapsedMs: () => 0 }),
    calls: 0,
    sent: 0,
    usage: noUsage,
    failures: [] as ProxyFailure[],
    failuresInRow: 0,
    removed: new Set<string>(),
    limit: undefined as ProxyFacts["limit"],
    stopped: undefined as Error | undefined,
    /** Ends the wait after a temporary failure. */
    goOn: undefined as (() => void) | undefined,
  };
}

function factsOf(state: State): ProxyFacts {
  const { upstream, calls, usage, clock, held, failures, failuresInRow, removed, limit, stopped } = state;
  return {
    host: answeringHost(upstream),
    calls,
    usage,
    waitedMs: clock.busyMs(),
    heldMs: held.busyMs(),
    failures: [...failures],
    failuresInRow,
    removed: [...removed],
    limit,
    stopped,
  };
}

function fail(error: unknown, secrets: readonly string[], state: State): InfraError {
  const { class: kind, status, message, retryAfterMs, billed } = classifyError(error, secrets);
  const { failures, held } = state;
  failures.push({ status, class: kind, message, retryAfterMs });
  if (failures.length > 100) failures.shift();
  state.failuresInRow += 1;
  const failure = new InfraError(kind, message, { billed, status, retryAfterMs });
  // callers that retry have to wait first
  if (failure.retryable && state.goOn === undefined)
    void held.run(() => new Promise<void>((resolve) => void (state.goOn = resolve)));
  return failure;
}

/** Why no call is allowed at all, as a sentence. */
function refusal(state: State): string | undefined {
  const { stopped, allowance, options } = state;
  if (stopped !== undefined) return stopped.message;
  const { calls, tokens } = allowance.spent();
  if (calls >= options.limits.calls) state.limit ??= "calls";
  else if (tokens >= options.limits.tokens) state.limit ??= "tokens";
  return (
    state.limit && `The limit of ${options.limits[state.limit]} ${state.limit} for this task is reached.`
  );
}

function note(names: readonly string[], { removed }: State): void {
  for (const name of names) if (removed.size < mostRemoved) removed.add(name);
}

/** Checks a request and sends it on if its cost has a known maximum. */
async function answer(
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
  state: State,
): Promise<void> {
  const { maxTokens = 32_000, priceOf, allow = [], onRequest } = state.options;
  const refuse = (sentence: string, status = 400): void =>
    send(response, status, writeError(route.wire, sentence));
  state.goOn?.();
  state.goOn = undefined;
  const before = refusal(state);
  const read = before === undefined ? await readBody(request) : undefined;
  if (read === undefined) {
    await throwAway(request);
    return before === undefined
      ? refuse(`The request is larger than ${maxBody} bytes.`, 413)
      : refuse(before);
  }
  const after = refusal(state);
  if (after !== undefined) return refuse(after);
  // only a limit the provider enforces caps the bill; a login's server accepts none
  const allowed = allowRequest(route.wire, read, { maxTokens, mustBound: priceOf !== undefined, allow });
  if (typeof allowed === "string") return refuse(allowed);
  note(allowed.removed, state);
  note(route.removed, state);
  onRequest?.(allowed.text);

  const { model, text } = allowed;
  const price = priceOf?.(model);
  if (priceOf !== undefined && price === undefined) {
    state.stopped = new WhetstoneError(
      "price-unknown",
      `The agent requested ${JSON.stringify(model)}, whose price is unknown.`,
      { hint: "Add its price to the settings, or make the agent use only the priced model." },
    );
    return refuse(state.stopped.message);
  }
  const bounds = {
    model,
    messages: [{ role: "user", content: text }],
    maxTokens: allowed.maxTokens,
  } as const;
  const worst = worstCase(bounds, price ?? freePrice, allowed.moreTokens);
  await state.clock.run(() => book({ ...route, text, request, response, price, worst }, state));
}

/** Reserves the call under the rollout's limits, then under the run's caps, and only then makes it. */
async function book(call: Call, state: State): Promise<void> {
  const { wire, response, worst } = call;
  const { held, allowance } = state;
  const { limits, meter } = state.options;
  try {
    await held.run(() => allowance.reserve(worst));
  } catch {
    // nothing else is running that could release anything
    state.limit ??= allowance.spent().calls >= limits.calls ? "calls" : "tokens";
    const sentence = `This call could use ${worst.tokens} tokens, which is more than this task has left of its limit of ${limits.tokens}.`;
    const said = state.limit === "tokens" ? sentence : (refusal(state) ?? sentence);
    return send(response, 400, writeError(wire, said));
  }
  let used = noCost;
  try {
    const metered = await held
      .run(() => meter.begin(worst))
      .catch((error: unknown) => {
        state.stopped ??= error instanceof Error ? error : new Error(String(error));
        return undefined;
      });
    if (metered === undefined)
      return send(response, 400, writeError(wire, state.stopped?.message ?? "The spend cap is reached."));
    let cost: Cost | "worst" = "worst";
    try {
      const forwarded = await forward(call, state);
      ({ cost } = forwarded);
      used = { ...(cost === "worst" ? worst : cost), calls: forwarded.counts ? 1 : 0 };
      if (cost !== "worst") state.stopped ??= overBound(cost, worst);
    } finally {
      await metered.end(cost);
    }
  } finally {
    allowance.settle(worst, used);
  }
}

async function forward(call: Call, state: State): Promise<Forwarded> {
  const { wire, path, text, request, response, price } = call;
  const { options, closing, clock } = state;
  let secrets: readonly string[] = [];
  // nobody waits for it any more, and it wasn't sent
  if (closing.signal.aborted || response.closed) return { cost: noCost, counts: false };
  const abandoned = new AbortController();
  response.once("close", () => abandoned.abort());
  try {
    const real = await options.headers();
    secrets = secretsIn(real);
    state.sent += 1;
    const own = allowHeaders(request.headers);
    note(own.removed, state);
    const reply = await options.fetch(`${state.upstream}${path}`, {
      method: "POST",
      headers: requestHeaders(own.headers, real, `${options.key}:${state.sent}`),
      body: text,
      redirect: "manual",
      signal: AbortSignal.any([closing.signal, abandoned.signal]),
    });
    if (!reply.ok) {
      const failure = await passFailure(reply, response, wire, secrets);
      return { cost: booked(fail(failure, secrets, state)), counts: false };
    }
    const streamed = /event-stream/.test(reply.headers.get("content-type") ?? "");
    const reader = createWireReader(wire, streamed);
    response.writeHead(reply.status, responseHeaders(reply.headers));
    await passBody(reply, response, reader, streamed, secrets, clock);
    const { usage, complete, error } = reader.read();
    if (!complete) {
      const cut = error === undefined ? cutAnswer() : { statusCode: reply.status, responseBody: error };
      fail(cut, secrets, state);
      return { cost: "worst", counts: false };
    }
    state.calls += 1;
    state.failuresInRow = 0;
    if (usage === undefined) return { cost: "worst", counts: true };
    state.usage = addUsage(state.usage, usage);
    return { cost: costOfUsage(usage, price), counts: true };
  } catch (error) {
    // the agent or the box is gone: that isn't the provider's failure, but it may still be billed
    if (closing.signal.aborted || abandoned.signal.aborted) return { cost: "worst", counts: true };
    const failure = fail(error, secrets, state);
    if (response.headersSent) response.destroy();
    else {
      // only let the client retry if that can help
      const status = failure.status ?? (failure.retryable ? 502 : 400);
      send(response, status, writeError(wire, failure.message));
    }
    return { cost: booked(failure), counts: false };
  }
}

/** An agent's request, as we will send it. */
interface Call extends Route {
  readonly text: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly price: Price | undefined;
  /** The most it can cost. */
  readonly worst: Cost;
}

interface Route {
  readonly wire: Wire;
  readonly path: string;
  readonly removed: readonly string[];
}

interface Forwarded {
  readonly cost: Cost | "worst";
  /** Counts toward the call limit, unless the provider failed to answer. */
  readonly counts: boolean;
}

function readUpstream(baseURL: string): string {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw new WhetstoneError(
      "config-invalid",
      `${JSON.stringify(baseURL)} isn't the address of a model server.`,
      { hint: "Write it as https://host/v1." },
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Accepts only a plain path to a model, requested from this machine. Anything else gets a status. */
function findRoute(request: IncomingMessage): Route | number {
  const hosts = request.rawHeaders
    .filter((_, at) => at % 2 === 0)
    .filter((name) => name.toLowerCase() === "host");
  const host = request.headers.host ?? "";
  if (hosts.length > 1 || !/^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/.test(host)) return 403;
  const [path = "", query, ...more] = (request.url ?? "").split("?");
  const wire = own(wires, path);
  if (wire === undefined || more.length > 0 || !/^[\w=&.-]*$/.test(query ?? "")) return 404;
  if (request.method !== "POST") return 404;
  const words = (query ?? "").split("&").filter((word) => word !== "");
  const isKnown = (word: string): boolean => word === "beta=true";
  return {
    wire,
    path: path.slice("/v1".length) + (words.some(isKnown) ? "?beta=true" : ""),
    removed: words.filter((word) => !isKnown(word)).map((word) => `?${word.slice(0, 80)}`),
  };
}

/** For one rollout. Waiting requests aren't read, and those we read are small, to protect the host's memory. */
const mostConnections = 32;
const mostAtWork = 8;
const maxBody = 8 * 1024 * 1024;
const mostRemoved = 50;

/** Undefined if it's too large, as soon as we know. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > maxBody) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // it stays open, and the rest is thrown away
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads on without keeping anything, so that the client learns the reason. */
async function throwAway(request: IncomingMessage): Promise<void> {
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > 8 * maxBody) return;
  }
}

/** Runs a limited number at once; the others wait in order. */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/**
 * The request limits what an honest provider can bill. If one bills more anyway, we book it because it is owed, but
 * send nothing more because the cap can't be guaranteed.
 */
function overBound(cost: Cost, worst: Cost): WhetstoneError | undefined {
  if (cost.nanoUsd <= worst.nanoUsd) return undefined;
  return new WhetstoneError(
    "spend-cap",
    `The provider billed ${cost.tokens} tokens for a call that could use at most ${worst.tokens}, so no cap can be guaranteed.`,
    {
      hint: "Use a server that respects the answer's token limit (max_tokens), or don't give its model a price.",
    },
  );
}

const costOfUsage = (usage: Usage, price: Price | undefined): Cost => ({
  nanoUsd: price === undefined ? 0 : costOf(usage, price),
  tokens: usage.inputTokens + usage.outputTokens,
  calls: 1,
});

const booked = ({ billed }: InfraError): Cost | "worst" =>
  billed === "no" ? { nanoUsd: 0, tokens: 0, calls: 1 } : "worst";

const cutAnswer = (): InfraError =>
  new InfraError("transport", "The provider's answer was cut off.", { billed: "unknown" });

function requestHeaders(
  own: Readonly<Record<string, string>>,
  real: Readonly<Record<string, string>>,
  idempotencyKey: string,
): Record<string, string> {
  const headers: Record<string, string> = { ...own };
  for (const [name, value] of Object.entries(real)) {
    const lower = name.toLowerCase();
    // features that the agent or its login needs
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

/** Values that must never be seen inside, with or without the word before them. */
const secretsIn = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers)
    .filter(([name]) => !/^(?:anthropic-(?:beta|version)|user-agent|originator|version)$/i.test(name))
    .flatMap(([, value]) => [value, ...value.split(" ").slice(1)]);

/** Passes the failure on unchanged, and returns it in the form we classify everywhere. */
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

/** Sends each piece as it comes and lets the listener read it. */
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

const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
};

const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0),
  cacheWriteInputTokens: (a.cacheWriteInputTokens ?? 0) + (b.cacheWriteInputTokens ?? 0),
});
