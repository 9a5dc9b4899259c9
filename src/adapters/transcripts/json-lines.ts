import { readObject } from "../../core/json.ts";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createZstdDecompress } from "node:zlib";
import { textAt } from "../agents/event-fields.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * The objects in a JSON Lines file, one by one; stop early to read less of it. Incomplete lines are skipped, because
 * the agent may be writing the last one right now.
 */
export async function* jsonLines(path: string): AsyncGenerator<JsonRecord> {
  for await (const line of lines(path)) {
    const record = readObject(line);
    if (record !== undefined) yield record;
  }
}

export async function readJsonLines(path: string): Promise<readonly JsonRecord[]> {
  const records: JsonRecord[] = [];
  for await (const record of jsonLines(path)) records.push(record);
  return records;
}

/** The first folder that a log names as its own. */
export async function folderIn(path: string): Promise<string> {
  for await (const record of jsonLines(path)) {
    const folder = textAt(record, "cwd");
    if (folder !== "") return folder;
  }
  return "";
}

/** Split only at line feeds: node's readline also splits at U+2028, which occurs unescaped in JSON strings. */
async function* lines(path: string): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  for await (const chunk of bytesOf(path)) {
    const parts = decoder.write(chunk as Buffer).split("\n");
    for (const part of parts.slice(0, -1)) {
      yield [...pieces, part].join("");
      pieces = [];
    }
    pieces.push(parts.at(-1) ?? "");
  }
  yield pieces.join("");
}

/** Codex compresses conversations that haven't been used for a while. */
function bytesOf(path: string): Readable {
  const file = createReadStream(path);
  if (!path.endsWith(".zst")) return file;
  const unpacked = createZstdDecompress();
  file.on("error", (problem) => unpacked.destroy(problem));
  unpacked.on("close", () => file.destroy());
  return file.pipe(unpacked);
}
