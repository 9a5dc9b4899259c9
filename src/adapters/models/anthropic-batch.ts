import type { Json, JsonObject } from "../../core/json.ts";
import {
  type BatchAnswer,
  type BatchAnswers,
  type BatchProtocol,
  type BatchServer,
  clockSkewMs,
  listBatches,
  parseLines,
  parseJsonObject,
  textOf,
} from "./batch-protocol.ts";

/** Requests in one body. Batches carry no mark of ours, so a lost one is known by the keys among its results. */
export const anthropicBatch: BatchProtocol = {
  async submit(_, requests, server) {
    const body = { requests: requests.map(({ key, body: params }) => ({ custom_id: key, params })) };
    return textOf(parseJsonObject(await server.post("/messages/batches", JSON.stringify(body)))["id"]);
  },
  async find({ keys, size, at }, others, server) {
    let isUndecided = false;
    const isOld = (batch: JsonObject) => Date.parse(textOf(batch["created_at"])) < at - clockSkewMs;
    for await (const batch of listBatches(server, "/messages/batches", { after: "after_id", isOld })) {
      const id = textOf(batch["id"]);
      if (others.has(id) || isOld(batch) || countOf(batch) !== size) continue;
      if (batch["processing_status"] !== "ended") isUndecided = true;
      else if ((await readResults(id, server)).has(keys[0] ?? "")) return { kind: "found", id };
    }
    return { kind: isUndecided ? "undecided" : "absent" };
  },
  async collect(id, server) {
    const batch = parseJsonObject(await server.get(`/messages/batches/${id}`));
    return batch["processing_status"] === "ended" ? readResults(id, server) : undefined;
  },
};

const countOf = (batch: JsonObject): number =>
  Object.values((batch["request_counts"] ?? {}) as Record<string, number>).reduce(
    (sum, count) => sum + count,
    0,
  );

async function readResults(id: string, server: BatchServer): Promise<BatchAnswers> {
  const lines = parseLines(await server.get(`/messages/batches/${id}/results`));
  return new Map(
    lines.map((line) => [textOf(line["custom_id"]), answerOf((line["result"] ?? {}) as JsonObject)]),
  );
}

function answerOf({ type, message, error }: JsonObject): BatchAnswer {
  if (type === "succeeded") return { kind: "answered", status: 200, body: message ?? null };
  if (type !== "errored") return { kind: "unanswered", why: `the request is ${textOf(type)}` };
  return { kind: "answered", status: statusOf(error), body: error ?? null };
}

/** What the same error would be answered with outside a batch. */
function statusOf(error: Json | undefined): number {
  const inner = (error as JsonObject | null | undefined)?.["error"];
  return statuses[textOf((inner as JsonObject | null | undefined)?.["type"])] ?? 500;
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
