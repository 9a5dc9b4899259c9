import type { InfraError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";

/** One call of a batch: what would be the body of a call by itself. */
export interface BatchRequest {
  readonly key: string;
  readonly body: JsonObject;
}

/** What is known of a batch before its provider knows it. Whatever it holds is durable. */
export interface BatchRecord {
  readonly v: 1;
  /** Ours, never used again. */
  readonly name: string;
  /** The provider's address, and what is asked there: `/messages`, `/responses` or `/chat/completions`. */
  readonly base: string;
  readonly path: string;
  /** Of the requests whose answers may still be asked for; `custom_id` is the unit's key. */
  readonly keys: readonly string[];
  /** How many were submitted. */
  readonly size: number;
  /** When it was about to be submitted, in milliseconds since the epoch. */
  readonly at: number;
  /** The provider's name for it; missing as long as the answer to the submission is not durable. */
  readonly id?: string;
}

export type BatchAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly body: Json }
  /** Expired or cancelled: nobody was charged. */
  | { readonly kind: "unanswered"; readonly why: string };

export type BatchAnswers = ReadonlyMap<string, BatchAnswer>;

export type BatchLookup =
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "absent" }
  /** One under way may be it: what it holds can be seen only at its end. */
  | { readonly kind: "undecided" };

/** Sends to the provider with its key. Throws `InfraError`. */
export interface BatchServer {
  get(path: string): Promise<string>;
  post(path: string, body: string, contentType?: string): Promise<string>;
}

/** How one provider takes batches. */
export interface BatchProtocol {
  /** Gives the provider's name for it. */
  submit(record: BatchRecord, requests: readonly BatchRequest[], server: BatchServer): Promise<string>;
  /** Whether a submission arrived whose answer was lost. `others` are batches known to be different ones. */
  find(record: BatchRecord, others: ReadonlySet<string>, server: BatchServer): Promise<BatchLookup>;
  /** Answers by key; undefined as long as it is under way; the failure when none of it was run. */
  collect(id: string, server: BatchServer): Promise<BatchAnswers | InfraError | undefined>;
}

/** Clocks differ: a batch that is older than its record by less may still be it. */
export const clockSkewMs = 300_000;

/** The provider's batches, newest first, a page at a time, down to those that are too old. */
export async function* listBatches(
  server: BatchServer,
  path: string,
  { after: name, isOld }: { readonly after: string; readonly isOld: (batch: JsonObject) => boolean },
): AsyncGenerator<JsonObject> {
  for (let after = ""; ; ) {
    const page = parseJsonObject(await server.get(`${path}?limit=100${after && `&${name}=${after}`}`));
    const batches = asList(page["data"]);
    yield* batches;
    const last = batches.at(-1);
    if (last === undefined || page["has_more"] !== true || isOld(last)) return;
    after = textOf(last["id"]);
  }
}

export const asList = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonObject[]) : [];

export const parseJsonObject = (text: string): JsonObject => JSON.parse(text) as JsonObject;

export const parseLines = (text: string): readonly JsonObject[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseJsonObject);

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
