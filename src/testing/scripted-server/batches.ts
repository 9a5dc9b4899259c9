import type { IncomingMessage, ServerResponse } from "node:http";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import type { HttpFailure } from "./fault.ts";
import { BadBody, readList, readText, requireList, requireText } from "./protocol.ts";

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

/** What a call by itself would have been answered. */
export interface BatchItem {
  readonly body: JsonObject;
  readonly failure: HttpFailure | undefined;
}

interface Taken extends ScriptedBatch {
  readonly createdAt: number;
  readonly metadata: Json;
  readonly lines: readonly Line[];
}

interface Line {
  readonly key: string;
  readonly outcome: "expired" | "canceled" | undefined;
  readonly item: BatchItem | undefined;
}

export interface ScriptedBatches {
  readonly taken: readonly ScriptedBatch[];
  /** Whether the address is one of batches or their files. */
  isTheirs(url: string): boolean;
  serve(http: IncomingMessage, response: ServerResponse, text: string): void;
}

/**
 * The batch protocols of OpenAI (`/v1/files`, `/v1/batches`) and Anthropic (`/v1/messages/batches`). Each request is
 * answered, and counted, as it would be by itself, when its batch is taken; who asks is told after the delay.
 */
export function scriptedBatches(
  plan: BatchPlan,
  answer: (path: string, key: string, body: JsonObject) => BatchItem,
): ScriptedBatches {
  const { delayMs = 0, outcome, losesAnswer, onSubmit } = plan;
  const files = new Map<string, string>();
  const taken: Taken[] = [];
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

  function submitOpenai(body: JsonObject): Taken {
    const file = files.get(requireText(body, "input_file_id"));
    if (file === undefined) throw new BadBody("There is no such file.");
    const endpoint = requireText(body, "endpoint");
    const requests = parseLines(file).map((line) => {
      if (readText(line["url"]) !== endpoint) throw new BadBody("A line asks for another endpoint.");
      const inner = line["body"];
      if (!isJsonObject(inner)) throw new BadBody("A line has no body.");
      return { key: requireText(line, "custom_id"), path: endpoint, body: inner };
    });
    return take("openai", requests, body["metadata"] ?? null);
  }

  function submitAnthropic(body: JsonObject): Taken {
    return take(
      "anthropic",
      requireList(body, "requests").map((request) => {
        const params = request["params"];
        if (!isJsonObject(params)) throw new BadBody("A request has no params.");
        return { key: requireText(request, "custom_id"), path: "/v1/messages", body: params };
      }),
    );
  }

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
          response: item === undefined ? null : { status_code: item.failure?.status ?? 200, body: item.body },
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
      const body = parseObject(text);
      const batch = isOpenai ? submitOpenai(body) : submitAnthropic(body);
      return { json: show(batch), isLost: losesAnswer?.(batch) === true };
    }
    if (id === undefined) return { json: list(protocol, searchParams, show) };
    const batch = find(id, protocol);
    if (rest !== "results") return { json: show(batch) };
    if (!isOver(batch)) throw new NotThere();
    return { text: toLines(batch.lines.map((line) => ({ custom_id: line.key, result: resultOf(line) }))) };
  }

  return {
    taken,
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

const addresses = /^\/v1\/(files|batches|messages\/batches)(?:\/([\w-]+))?(?:\/(content|results))?$/;

type Answered = { readonly json: JsonObject; readonly isLost?: boolean } | { readonly text: string };

class NotThere extends Error {
  override readonly message = "There is nothing of this name.";
}

const isAnswered = ({ item }: Line): boolean => item !== undefined && item.failure === undefined;

function resultOf({ outcome, item }: Line): JsonObject {
  if (item === undefined) return { type: outcome ?? "expired" };
  return item.failure === undefined
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
  if (file === undefined) throw new BadBody("The form holds no file.");
  return file;
}

function parseObject(text: string): JsonObject {
  const value = JSON.parse(text) as Json;
  if (!isJsonObject(value)) throw new BadBody("The body must be a JSON object.");
  return value;
}

const parseLines = (text: string): readonly JsonObject[] =>
  readList(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json),
  );

const toLines = (values: readonly JsonObject[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");
