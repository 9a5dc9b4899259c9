import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel } from "../../../src/adapters/models/ai-sdk.ts";
import { InfraError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Model, Reply } from "../../../src/core/ports/model.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { type ScriptedReply, startScriptedServer } from "../../../src/testing/index.ts";
import { mutators, retype, wholeReply } from "./reply-corpus.ts";

export interface WireReport {
  readonly cases: number;
  /** Bodies that were a whole answer in spite of everything. */
  readonly answered: number;
  readonly violations: readonly string[];
}

/** Mutated texts in sound answers, and sound texts in mutated answers, over real sockets into the real adapters. */
export async function checkWire(cases: number, seed: number): Promise<WireReport> {
  const texts = new Map<string, ScriptedReply>();
  const spoilers = new Map<string, Spoiler>();
  await using server = await startScriptedServer({
    seed,
    record: false,
    world: { reply: ({ key }) => texts.get(key) ?? { text: "ok", finish: "stop" } },
  });
  await using proxy = await startSpoilingProxy(server.url, (key) => spoilers.get(key));
  const direct = models(server.url);
  const spoiled = models(proxy.url);
  const violations: string[] = [];
  let answered = 0;

  const sendText = async (nth: number) => {
    const random = seededRandom("wire-text", seed, nth);
    const mutator = mutators[nth % mutators.length] as (typeof mutators)[number];
    const finish =
      (["stop", "stop", "length", "content-filter"] as const)[Math.floor(random() * 4)] ?? "stop";
    const text = mutator.mutate(wholeReply(random), random).slice(0, 20_000);
    const key = `text-${seed}-${nth}`;
    texts.set(key, { text, finish });
    const model = direct[nth % direct.length] as Model;
    const came = await call(model, key);
    if (came instanceof InfraError) return;
    answered += 1;
    const isSame = "text" in came && came.text === text && came.finish === finish;
    if (!isSame) violations.push(`${model.id} changed a reply (${mutator.name}, ${nth})`);
    violations.push(...checkShape(came, `${model.id}, text ${nth}`));
  };
  const sendBody = async (nth: number) => {
    const random = seededRandom("wire-body", seed, nth);
    const spoiler = bodySpoilers[nth % bodySpoilers.length] as (typeof bodySpoilers)[number];
    const key = `body-${seed}-${nth}`;
    texts.set(key, { text: JSON.stringify(wholeReply(random)), finish: "stop" });
    spoilers.set(key, (body) => spoiler.spoil(body, random));
    const model = spoiled[nth % spoiled.length] as Model;
    const came = await call(model, key);
    if (came instanceof InfraError) return;
    answered += 1;
    if (spoiler.isTruncation) violations.push(`${model.id} took a truncated body (${spoiler.name}, ${nth})`);
    violations.push(...checkShape(came, `${model.id}, ${spoiler.name} ${nth}`));
  };

  const half = Math.ceil(cases / 2);
  await inParallel(half, sendText);
  await inParallel(half, sendBody);
  return { cases: 2 * half, answered, violations };
}

function models(url: string): readonly Model[] {
  const baseURL = `${url}/v1`;
  const keyed = { baseURL, apiKey: "none" };
  const model = (id: string, sdk: Parameters<typeof aiSdkModel>[0]) =>
    aiSdkModel(sdk, { id, timeoutMs: 20_000 });
  return [
    model("compatible/target-1", createOpenAICompatible({ name: "scripted", ...keyed })("target-1")),
    model("openai-chat/target-1", createOpenAI(keyed).chat("target-1")),
    model("openai/target-1", createOpenAI(keyed)("target-1")),
    model("anthropic/target-1", createAnthropic(keyed)("target-1")),
  ];
}

/** The reply or the infrastructure error; anything else is what must not happen. */
async function call(model: Model, key: string): Promise<Reply | InfraError | { readonly thrown: unknown }> {
  const messages = [{ role: "user", content: "Go." }] as const;
  try {
    const signal = new AbortController().signal;
    return await model.generate({ model: model.id, messages, maxTokens: 8000 }, { key, signal });
  } catch (error) {
    return error instanceof InfraError ? error : { thrown: error };
  }
}

function checkShape(came: Reply | { readonly thrown: unknown }, where: string): readonly string[] {
  if ("thrown" in came) return [`${where}: threw ${String(came.thrown).slice(0, 200)}`];
  const { text, finish, usage } = came;
  const { estimated = true, ...tokens } = usage;
  const counts = Object.values(tokens);
  const isSound =
    typeof text === "string" &&
    ["stop", "length", "content-filter", "other", "none"].includes(finish) &&
    estimated &&
    counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  return isSound ? [] : [`${where}: gave ${JSON.stringify({ ...came, text: typeof text }).slice(0, 200)}`];
}

type Spoiler = (body: Buffer) => Spoiled;

interface Spoiled {
  readonly body: Buffer;
  readonly status?: number;
  readonly type?: string;
  /** Promises more bytes than come, then ends the connection. */
  readonly cutsOff?: boolean;
}

interface BodySpoiler {
  readonly name: string;
  readonly isTruncation?: boolean;
  spoil(body: Buffer, random: () => number): Spoiled;
}

const cutAt = (body: Buffer, random: () => number): Buffer =>
  body.subarray(0, Math.floor(random() * body.length));

function reshape(body: Buffer, change: (answer: JsonObject) => unknown): Spoiled {
  return { body: Buffer.from(JSON.stringify(change(JSON.parse(body.toString()) as JsonObject))) };
}

const bodySpoilers: readonly BodySpoiler[] = [
  { name: "truncated body", isTruncation: true, spoil: (body, random) => ({ body: cutAt(body, random) }) },
  {
    name: "cut connection",
    isTruncation: true,
    spoil: (body, random) => ({ body: cutAt(body, random), cutsOff: true }),
  },
  {
    name: "flipped bits",
    spoil(body, random) {
      const bytes = Buffer.from(body);
      for (let times = 1 + random() * 6; times > 0; times -= 1) {
        const at = Math.floor(random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      }
      return { body: bytes };
    },
  },
  { name: "wrong types", spoil: (body, random) => reshape(body, (answer) => retype(answer, random, 0.08)) },
  {
    name: "a field lost",
    spoil: (body, random) =>
      reshape(body, (answer) => {
        const keys = Object.keys(answer);
        const lost = keys[Math.floor(random() * keys.length)];
        return Object.fromEntries(Object.entries(answer).filter(([key]) => key !== lost));
      }),
  },
  {
    name: "strange usage",
    spoil: (body, random) =>
      reshape(body, (answer) => ({
        ...answer,
        usage: retype(
          {
            prompt_tokens: -5,
            completion_tokens: 1e300,
            input_tokens: "many",
            output_tokens: 0.5,
            total_tokens: null,
          },
          random,
          0.2,
        ),
      })),
  },
  {
    name: "another status",
    spoil: (body, random) => ({
      body,
      status: [200, 204, 302, 400, 418, 500, 599][Math.floor(random() * 7)] ?? 200,
    }),
  },
  {
    name: "a web page",
    spoil: () => ({ body: Buffer.from("<html><body>Bad gateway</body></html>"), type: "text/html" }),
  },
  {
    name: "not an answer",
    spoil: (_, random) => ({
      body: Buffer.from(
        [
          "",
          " ",
          "null",
          "[]",
          "{}",
          "true",
          "0",
          '""',
          '{"error":{"message":"no"}}',
          "\0",
          "{".repeat(5000),
        ][Math.floor(random() * 11)] ?? "",
      ),
    }),
  },
  { name: "two answers", spoil: (body) => ({ body: Buffer.concat([body, Buffer.from("\n"), body]) }) },
  { name: "no JSON type", spoil: (body) => ({ body, type: "application/octet-stream" }) },
];

/** Stands before the scripted server and spoils the bodies of its answers. */
async function startSpoilingProxy(upstream: string, spoilerFor: (key: string) => Spoiler | undefined) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on(
      "end",
      () =>
        void forward(
          request.url ?? "/",
          String(request.headers["idempotency-key"]),
          Buffer.concat(chunks),
          response,
        ),
    );
  });
  async function forward(path: string, key: string, body: Buffer, response: ServerResponse): Promise<void> {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const answer = await fetch(`${upstream}${path}`, { method: "POST", headers, body: new Uint8Array(body) });
    const whole = Buffer.from(await answer.arrayBuffer());
    const spoiled: Spoiled = spoilerFor(key)?.(whole) ?? { body: whole };
    const length = spoiled.cutsOff === true ? whole.length : spoiled.body.length;
    response.writeHead(spoiled.status ?? 200, {
      "content-type": spoiled.type ?? "application/json",
      "content-length": length,
    });
    if (spoiled.cutsOff !== true) return void response.end(spoiled.body);
    response.flushHeaders();
    response.write(spoiled.body, () => setImmediate(() => response.socket?.destroy()));
  }
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function inParallel(count: number, work: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const nth = next;
      next += 1;
      await work(nth);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}
