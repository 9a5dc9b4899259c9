import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Json, JsonObject } from "../../src/ports.ts";
import {
  type AnsweredAlone,
  type ScriptedRoutes,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "../../src/testing/index.ts";

/** A scripted server that takes batches too. */
export interface BatchServer extends ScriptedServer {
  /** In the order of arrival. */
  readonly batches: readonly ScriptedBatch[];
}

export async function startBatchServer({
  batches = {},
  ...options
}: Omit<ScriptedServerOptions, "routes"> & { readonly batches?: BatchPlan }): Promise<BatchServer> {
  const taken: Taken[] = [];
  const server = await startScriptedServer({
    ...options,
    routes: (answer) => scriptedBatches(batches, taken, answer),
  });
  return Object.assign(server, { batches: taken });
}

/** How batches are worked at. */
export interface BatchPlan {
  /** From submission to end. @default 0 */
  readonly delayMs?: number;
  /** What becomes of a request instead of its answer; `nth` counts batches from 1. */
  readonly outcome?: (key: string, nth: number) => "expired" | "canceled" | undefined;
  /** The batch is taken, and the connection ends without an answer. */
  readonly losesAnswer?: (batch: ScriptedBatch) => boolean;
  /** Called once it is taken, before it is answered. */
  readonly onSubmit?: (batch: ScriptedBatch) => void;
}

export interface ScriptedBatch {
  readonly id: string;
  readonly protocol: "openai" | "anthropic";
  /** `custom_id`s. */
  readonly keys: readonly string[];
  /** 1 for the first one of the server. */
  readonly nth: number;
}

interface Taken extends ScriptedBatch {
  readonly createdAt: number;
  readonly metadata: Json;
  readonly lines: readonly Line[];
}

interface Line {
  readonly key: string;
  readonly outcome: "expired" | "canceled" | undefined;
  readonly item: AnsweredAlone | undefined;
}

/**
 * The batch protocols of OpenAI (`/v1/files`, `/v1/batches`) and Anthropic (`/v1/messages/batches`). Each request is
 * answered, and counted, as it would be by itself, when its batch is taken; who asks is told after the delay.
 */
function scriptedBatches(
  plan: BatchPlan,
  taken: Taken[],
  answer: (path: string, key: string, body: JsonObject) => AnsweredAlone,
): ScriptedRoutes {
  const { delayMs = 0, outcome, losesAnswer, onSubmit } = plan;
  const files = new Map<string, string>();
  const isOver = ({ createdAt }: Taken) => Date.now() >= createdAt + delayMs;

  function take(
    protocol: ScriptedBatch["protocol"],
    requests: readonly { readonly key: string; readonly path: string; readonly body: JsonObject }[],
    metadata: Json = null,
  ): Taken {
    const nth = taken.length + 1;
    const id = `${protocol === "openai" ? "batch" : "msgbatch"}_${nth}`;
    const lines = requests.map(({ key, path, body }): Line => {
      const end = outcome?.(key, nth);
      return { key, outcome: end, item: end === undefined ? answer(path, key, body) : undefined };
    });
    const keys = lines.map(({ key }) => key);
    const batch = { id, protocol, keys, nth, createdAt: Date.now(), metadata, lines };
    taken.push(batch);
    onSubmit?.(batch);
    return batch;
  }

  const find = (id: string | undefined, protocol: ScriptedBatch["protocol"]): Taken => {
    const batch = taken.find((each) => each.id === id && each.protocol === protocol);
    if (batch === undefined) throw new NotThere();
    return batch;
  };

  function submitOpenai(text: string): Taken {
    const { input_file_id, endpoint, metadata } = openaiBatch.parse(JSON.parse(text));
    const file = files.get(input_file_id);
    if (file === undefined) throw new Error("There is no such file.");
    const requests = file
      .trim()
      .split("\n")
      .map((line) => openaiLine.parse(JSON.parse(line)));
    if (requests.some(({ url }) => url !== endpoint)) throw new Error("A line asks for another endpoint.");
    return take(
      "openai",
      requests.map(({ custom_id: key, url: path, body }) => ({ key, path, body })),
      metadata,
    );
  }

  const submitAnthropic = (text: string): Taken =>
    take(
      "anthropic",
      anthropicBatch
        .parse(JSON.parse(text))
        .requests.map(({ custom_id: key, params }) => ({ key, path: "/v1/messages", body: params })),
    );

  /** The newest first, a page at a time. */
  function list(
    protocol: ScriptedBatch["protocol"],
    query: URLSearchParams,
    show: (batch: Taken) => JsonObject,
  ): JsonObject {
    const all = taken.filter((each) => each.protocol === protocol).toReversed();
    const after = query.get("after") ?? query.get("after_id");
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const to = from + Number(query.get("limit") ?? 20);
    return { data: all.slice(from, to).map(show), has_more: to < all.length };
  }

  const showOpenai = (batch: Taken): JsonObject => {
    const [good, bad] = [batch.lines.filter(isAnswered), batch.lines.filter((line) => !isAnswered(line))];
    const over = isOver(batch);
    const hasExpired = batch.lines.some((line) => line.outcome === "expired");
    return {
      id: batch.id,
      object: "batch",
      status: over ? (hasExpired ? "expired" : "completed") : "in_progress",
      created_at: Math.floor(batch.createdAt / 1000),
      output_file_id: over && good.length > 0 ? `${batch.id}-output` : null,
      error_file_id: over && bad.length > 0 ? `${batch.id}-errors` : null,
      metadata: batch.metadata,
      request_counts: {
        total: batch.lines.length,
        completed: over ? good.length : 0,
        failed: over ? bad.length : 0,
      },
    };
  };

  const showAnthropic = (batch: Taken): JsonObject => {
    const over = isOver(batch);
    const count = (type: string) =>
      over ? batch.lines.filter((line) => resultOf(line)["type"] === type).length : 0;
    return {
      id: batch.id,
      type: "message_batch",
      processing_status: over ? "ended" : "in_progress",
      created_at: new Date(batch.createdAt).toISOString(),
      request_counts: {
        processing: over ? 0 : batch.lines.length,
        succeeded: count("succeeded"),
        errored: count("errored"),
        canceled: count("canceled"),
        expired: count("expired"),
      },
    };
  };

  function readOutput(file: string): string {
    const uploaded = files.get(file);
    if (uploaded !== undefined) return uploaded;
    const [, id, which] = /^(\w+)-(output|errors)$/.exec(file) ?? [];
    const batch = find(id, "openai");
    return toLines(
      batch.lines
        .filter((line) => isAnswered(line) === (which === "output"))
        .map(({ key, item, outcome: end }) => ({
          custom_id: key,
          response: item === undefined ? null : { status_code: item.status, body: item.body },
          error:
            item === undefined
              ? { code: `batch_${end ?? ""}`, message: `This request is ${end ?? ""}.` }
              : null,
        })),
    );
  }

  function answerOf(http: IncomingMessage, text: string): Answered {
    const { pathname, searchParams } = new URL(http.url ?? "/", "http://127.0.0.1");
    const [, path, id, rest] = addresses.exec(pathname) ?? [];
    const isPost = http.method === "POST" && id === undefined;
    if (path === "files") {
      if (!isPost) return { text: readOutput(id ?? "") };
      const name = `file-${files.size + 1}`;
      files.set(name, readUpload(text));
      return { json: { id: name, object: "file", purpose: "batch" } };
    }
    const isOpenai = path === "batches";
    const [protocol, show] = isOpenai
      ? (["openai", showOpenai] as const)
      : (["anthropic", showAnthropic] as const);
    if (isPost) {
      const batch = isOpenai ? submitOpenai(text) : submitAnthropic(text);
      return { json: show(batch), isLost: losesAnswer?.(batch) === true };
    }
    if (id === undefined) return { json: list(protocol, searchParams, show) };
    const batch = find(id, protocol);
    if (rest !== "results") return { json: show(batch) };
    if (!isOver(batch)) throw new NotThere();
    return { text: toLines(batch.lines.map((line) => ({ custom_id: line.key, result: resultOf(line) }))) };
  }

  return {
    isTheirs: (url) => addresses.test(url.split("?", 1)[0] ?? ""),
    serve(http, response, text) {
      try {
        const answered = answerOf(http, text);
        if ("json" in answered && answered.isLost === true) response.socket?.resetAndDestroy();
        else send(response, 200, "json" in answered ? JSON.stringify(answered.json) : answered.text);
      } catch (error) {
        const status = error instanceof NotThere ? 404 : 400;
        const message = error instanceof Error ? error.message : String(error);
        send(response, status, JSON.stringify({ error: { type: "invalid_request_error", message } }));
      }
    },
  };
}

const body = z.custom<JsonObject>((value) => typeof value === "object" && value !== null);
const openaiBatch = z.object({
  input_file_id: z.string(),
  endpoint: z.string(),
  metadata: z.json().default(null),
});
const openaiLine = z.object({ custom_id: z.string(), url: z.string(), body });
const anthropicBatch = z.object({ requests: z.array(z.object({ custom_id: z.string(), params: body })) });

const addresses = /^\/v1\/(files|batches|messages\/batches)(?:\/([\w-]+))?(?:\/(content|results))?$/;

type Answered = { readonly json: JsonObject; readonly isLost?: boolean } | { readonly text: string };

class NotThere extends Error {
  override readonly message = "There is nothing of this name.";
}

const isAnswered = ({ item }: Line): boolean => item?.status === 200;

function resultOf({ outcome, item }: Line): JsonObject {
  if (item === undefined) return { type: outcome ?? "expired" };
  return item.status === 200
    ? { type: "succeeded", message: item.body }
    : { type: "errored", error: item.body };
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** The file of a form: what stands between its head and the last boundary. */
function readUpload(form: string): string {
  const [, file] = /filename="[^"]*"[\s\S]*?\r\n\r\n([\s\S]*)\r\n--[^\r\n]+--\r\n$/.exec(form) ?? [];
  if (file === undefined) throw new Error("The form holds no file.");
  return file;
}

const toLines = (values: readonly JsonObject[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");
