import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { hexSum } from "./entry-sum.ts";
import { journalDamaged } from "./journal-errors.ts";
import { syncDirectory } from "./sync-directory.ts";

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** The last row known to be durable, and the running checksum there. */
export interface Head {
  readonly seq: number;
  readonly chain: number;
}

export interface HeadFile {
  /** Durable once it returns. The caller holds the journal's write lock, so heads never go back. */
  publish(head: Head): void;
  close(): void;
}

// two slots, each in its own disk block: a torn write cannot reach the older one
const slotBytes = 4096;
const pathOf = (dir: string): string => join(dir, "journal.head");

/** The newer intact slot of `journal.head`. */
export function readHead(dir: string): Head | "missing" | "unreadable" {
  if (!existsSync(pathOf(dir))) return "missing";
  const file = openSync(pathOf(dir), "r");
  try {
    const slots = readSlots(file);
    return slots[newestSlot(slots)] ?? "unreadable";
  } finally {
    closeSync(file);
  }
}

/** A head that says "no rows yet". At every moment it is either complete or absent. */
export function createHead(dir: string): void {
  const unfinished = `${pathOf(dir)}.new`;
  const file = openSync(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    for (const slot of [0, 1]) writeSlot(file, slot, { seq: 0, chain: 0 });
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, pathOf(dir));
  syncDirectory(dir);
}

export function openHead(dir: string): HeadFile {
  const file = openSync(pathOf(dir), O_RDWR | O_NOFOLLOW);
  return {
    publish: (head) => {
      const slots = readSlots(file);
      const newest = newestSlot(slots);
      const current = slots[newest];
      if (current === undefined) throw journalDamaged(dir, "journal.head can't be read");
      if (current.seq === head.seq && current.chain !== head.chain) {
        throw journalDamaged(dir, `row ${head.seq} isn't the row recorded in journal.head`);
      }
      // another process has already published a later row, which includes ours
      if (current.seq >= head.seq) return;
      writeSlot(file, 1 - newest, head);
      fdatasyncSync(file);
    },
    close: () => closeSync(file),
  };
}

function readSlots(file: number): readonly (Head | undefined)[] {
  const bytes = Buffer.alloc(2 * slotBytes);
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return [0, slotBytes].map((at) =>
    decodeSlot(bytes.toString("latin1", at, Math.min(at + slotBytes, length))),
  );
}

const newestSlot = ([first, second]: readonly (Head | undefined)[]): 0 | 1 =>
  (first?.seq ?? -1) >= (second?.seq ?? -1) ? 0 : 1;

function writeSlot(file: number, slot: number, { seq, chain }: Head): void {
  const text = `${String(seq).padStart(16, "0")} ${hexSum(chain)}`;
  const line = Buffer.from(`${text} ${hexSum(crc32(text))}\n`);
  // one full block, so that a slot never mixes two writes
  const block = Buffer.alloc(slotBytes, " ");
  line.copy(block);
  writeSync(file, block, 0, slotBytes, slot * slotBytes);
}

function decodeSlot(text: string): Head | undefined {
  const [, body, seq, chain, sum] = /^((\d{16}) ([0-9a-f]{8})) ([0-9a-f]{8})\n/.exec(text) ?? [];
  if (body === undefined || sum !== hexSum(crc32(body))) return undefined;
  return { seq: Number(seq), chain: Number.parseInt(chain ?? "", 16) };
}
