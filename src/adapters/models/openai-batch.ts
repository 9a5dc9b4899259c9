import { InfraError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  type BatchAnswer,
  type BatchProtocol,
  type BatchRecord,
  type BatchRequest,
  type BatchServer,
  clockSkewMs,
  listBatches,
  asList,
  parseLines,
  parseJsonObject,
  textOf,
} from "./batch-protocol.ts";

/** A file of requests, then a batch of it; metadata tells which batch is whose. */
export const openaiBatch: BatchProtocol = {
  async submit(record, requests, server) {
    const file = parseJsonObject(await upload(record, requests, server));
    const batch = parseJsonObject(
      await server.post(
        "/batches",
        JSON.stringify({
          input_file_id: textOf(file["id"]),
          endpoint: endpointOf(record),
          completion_window: "24h",
          metadata: { [mark]: record.name },
        }),
      ),
    );
    return textOf(batch["id"]);
  },
  async find({ name, at }, _, server) {
    const isOld = (batch: JsonObject) => Number(batch["created_at"]) * 1000 < at - clockSkewMs;
    for await (const { id, metadata } of listBatches(server, "/batches", { after: "after", isOld })) {
      if (metadata != null && (metadata as JsonObject)[mark] === name)
        return { kind: "found", id: textOf(id) };
    }
    return { kind: "absent" };
  },
  async collect(id, server) {
    const batch = parseJsonObject(await server.get(`/batches/${id}`));
    const status = textOf(batch["status"]);
    if (status === "failed") return failureOf(id, batch);
    if (!ended.has(status)) return undefined;
    const answers = new Map<string, BatchAnswer>();
    for (const field of ["error_file_id", "output_file_id"]) {
      const file = textOf(batch[field]);
      if (file === "") continue;
      for (const line of parseLines(await server.get(`/files/${file}/content`)))
        answers.set(textOf(line["custom_id"]), answerOf(line, status));
    }
    return answers;
  },
};

const mark = "whetstone";
const ended: ReadonlySet<string> = new Set(["completed", "expired", "cancelled"]);

const endpointOf = ({ path }: BatchRecord): string => `/v1${path}`;

function upload(
  record: BatchRecord,
  requests: readonly BatchRequest[],
  server: BatchServer,
): Promise<string> {
  const url = endpointOf(record);
  const lines = requests.map(({ key, body }) =>
    JSON.stringify({ custom_id: key, method: "POST", url, body }),
  );
  const boundary = `whetstone-${record.name}`;
  const part = (head: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const body = [
    part('name="purpose"', "batch"),
    part(
      `name="file"; filename="${record.name}.jsonl"\r\nContent-Type: application/jsonl`,
      `${lines.join("\n")}\n`,
    ),
    `--${boundary}--\r\n`,
  ].join("");
  return server.post("/files", body, `multipart/form-data; boundary=${boundary}`);
}

function answerOf({ response, error }: JsonObject, status: string): BatchAnswer {
  const { status_code: code, body } = (response ?? {}) as JsonObject;
  if (typeof code === "number" && code > 0) return { kind: "answered", status: code, body: body ?? null };
  const why = textOf((error as JsonObject | null | undefined)?.["message"]);
  return { kind: "unanswered", why: why || `the batch is ${status}` };
}

/** Nothing of it was run: its file was not accepted. */
function failureOf(id: string, { errors }: JsonObject): InfraError {
  const said = asList((errors as JsonObject | null | undefined)?.["data"]).map(
    ({ code, message }) => `${textOf(message)} (${textOf(code)})`,
  );
  const isFull = said.some((text) => /token_limit|rate_limit|too_many/.test(text));
  return new InfraError(isFull ? "throttle" : "refused", `The batch ${id} failed: ${said.join("; ")}`);
}
