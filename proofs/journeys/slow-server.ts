import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface SlowServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; its API is below `/v1`. */
  readonly url: string;
  /** Calls answered so far. */
  readonly answered: number;
  /** Calls refused because there were too many in a second. */
  readonly refused: number;
}

export interface SlowServerOptions {
  /** Who has the answers. */
  readonly behind: string;
  /** What its models are called. */
  readonly models: readonly string[];
  /** How many calls it works on at a time; others wait their turn. */
  readonly slots: number;
  /** What an answer takes, by how many letters it and its prompt have. */
  readonly msOf: (letters: { readonly prompt: number; readonly answer: number }) => number;
  /** As a provider: more calls in a second than these get a 429. @default no limit */
  readonly mostPerSecond?: number;
}

/** A model's server that has few slots and takes its time, before one that answers at once. */
export async function startSlowServer(options: SlowServerOptions): Promise<SlowServer> {
  const { behind, models, slots, msOf, mostPerSecond = Number.POSITIVE_INFINITY } = options;
  const waiting: (() => void)[] = [];
  const recent: number[] = [];
  let [busy, answered, refused] = [0, 0, 0];

  const take = async () => {
    if (busy < slots) busy += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const giveBack = () => {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next();
  };

  async function answer(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const say = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(body);
    };
    if (request.url === "/v1/models")
      return say(200, JSON.stringify({ object: "list", data: models.map((id) => ({ id })) }));
    if (request.url !== "/v1/chat/completions") return say(404, fault("There is nothing here."));
    if (!models.includes((JSON.parse(text) as { model: string }).model))
      return say(404, fault("The model does not exist.", "model_not_found"));
    const now = performance.now();
    while ((recent[0] ?? now) < now - 1000) recent.shift();
    if (recent.length >= mostPerSecond) {
      refused += 1;
      return say(429, fault("Rate limit reached.", "rate_limit_exceeded"), { "retry-after": "1" });
    }
    recent.push(now);
    await take();
    try {
      // who gave up while it waited is not served
      if (response.destroyed) return;
      const passed = await fetch(`${behind}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": keyOf(request, text) },
        body: text,
      });
      const body = await passed.text();
      await sleep(msOf({ prompt: text.length, answer: body.length }));
      answered += 1;
      say(passed.status, body);
    } finally {
      giveBack();
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void answer(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get answered() {
      return answered;
    },
    get refused() {
      return refused;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** A key names the draws of the world behind. */
function keyOf({ headers }: IncomingMessage, text: string): string {
  const key = headers["idempotency-key"];
  return typeof key === "string" ? key : createHash("sha256").update(text).digest("hex");
}

const fault = (message: string, code = "not_found"): string =>
  JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
