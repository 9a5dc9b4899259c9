import { crc32 } from "node:zlib";
import type { NewEntry } from "../../core/ports/journal.ts";

/** The fields a row's checksum covers: number, kind, run, key, name and the body as stored. */
export const entryText = (seq: number, entry: Omit<NewEntry, "body">, body: string): string =>
  `${seq}\n${entry.kind}\n${entry.run}\n${entry.key}\n${entry.name}\n${body}`;

/** The checksum of one row. */
export const entrySum = (text: string): number => crc32(text);

/** The running checksum over all rows: a missing, changed or reordered row changes every later value. */
export const nextChain = (chain: number, text: string, sum: number): number =>
  crc32(`\n${sum}\n`, crc32(text, chain));

/** Eight hex digits. */
export const hexSum = (sum: number): string => sum.toString(16).padStart(8, "0");
