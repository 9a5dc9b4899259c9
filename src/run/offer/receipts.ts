import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hashBytes } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type LiveSkill, type Receipt, type ReceiptFile, parseReceipt } from "../../core/offer/receipt.ts";
import {
  type FileOperations,
  commitFile,
  fileOperations,
  stageFile,
  unstageFile,
  writeDurably,
} from "./file-operations.ts";
import { liveName, livePath, readIfThere, readLive } from "./live-skill.ts";
import { holdingLive } from "./live-target.ts";

/** How receipts and backups are read and written. */
export interface ReceiptStore {
  /** Contains `receipts/` and `backups/`. */
  readonly journalDir: string;
  readonly operations: FileOperations;
  readonly now: () => number;
}

export interface StoreOptions {
  /** @default the file system */
  readonly operations?: FileOperations;
  /** Milliseconds since the epoch. @default the clock */
  readonly now?: () => number;
}

export const receiptStore = (
  journalDir: string,
  { operations = fileOperations, now = Date.now }: StoreOptions = {},
): ReceiptStore => ({ journalDir, operations, now });

/**
 * The receipts for one live skill, oldest first. Worktrees of a repository share settled receipts, because git carries an
 * adopted text from one to another.
 */
export function readReceipts(journalDir: string, live: LiveSkill): readonly Receipt[] {
  return listReceipts(journalDir, live).flatMap((name) => {
    const receipt = readReceipt(join(journalDir, "receipts", name), live);
    if (receipt.live.path === live.path) return [receipt];
    return isOpen(receipt) ? [] : [{ ...receipt, live }];
  });
}

function listReceipts(journalDir: string, live: LiveSkill): readonly string[] {
  const folder = join(journalDir, "receipts");
  if (!existsSync(folder)) return [];
  const start = `${liveName(live)}-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && name.endsWith(".json"))
    .toSorted();
}

/** The receipt with the current state of a run: that of its last adoption in force, or else its last one. */
export function receiptOf(run: string, live: LiveSkill, journalDir: string): Receipt | undefined {
  const own = readReceipts(journalDir, live).filter((receipt) => receipt.run === run);
  const holds = (receipt: Receipt, at: number) =>
    receipt.phase === "adopted" && !own.slice(at + 1).some((later) => isSameStart(receipt, later));
  return own.findLast(holds) ?? own.at(-1);
}

/** Whether a later adoption started from the same text as an earlier one: a person had restored it by hand in between. */
const isSameStart = (earlier: Receipt, later: Receipt): boolean =>
  earlier.files.every(({ path, before }) =>
    later.files.some((file) => file.path === path && file.before === before),
  );

export function nextReceiptId(journalDir: string, live: LiveSkill): string {
  const last = listReceipts(journalDir, live).at(-1)?.split(/[-.]/)[1] ?? "0";
  return `${liveName(live)}-${String(Number(last) + 1).padStart(4, "0")}`;
}

export function writeReceipt(receipt: Receipt, phase: Receipt["phase"], store: ReceiptStore): Receipt {
  const next: Receipt = { ...receipt, phase, at: store.now() };
  const path = receiptPath(store.journalDir, receipt.id);
  writeDurably(path, Buffer.from(`${JSON.stringify(next, null, 2)}\n`), store.operations);
  return next;
}

const receiptPath = (journalDir: string, id: string): string => join(journalDir, "receipts", `${id}.json`);

type Side = "before" | "after";

/** The backup of one file's bytes from before or after the adoption. */
export const backupPath = (journalDir: string, { id, live }: Receipt, side: Side, path: string): string =>
  join(backupFolder(journalDir, id), side, live.kind === "file" ? basename(live.path) : path);

export const backupFolder = (journalDir: string, id: string): string => join(journalDir, "backups", id);

/** Finishes what interrupted processes began on this skill; takes its lock only if there is something to do. */
export function finishInterrupted(live: LiveSkill, store: ReceiptStore): readonly Receipt[] {
  if (!readReceipts(store.journalDir, live).some(isOpen)) return [];
  return holdingLive(store.journalDir, live, () => recover(live, store));
}

/** The same for a caller that already has the skill's lock. */
export const recover = (live: LiveSkill, store: ReceiptStore): readonly Receipt[] =>
  readReceipts(store.journalDir, live)
    .filter(isOpen)
    .map((receipt) => settle(receipt, store));

const isOpen = ({ phase }: Receipt): boolean => phase === "adopting" || phase === "undoing";

/** The skills on which a process was interrupted. Unreadable receipts are reported by commands that name their skill. */
export function interruptedSkills(journalDir: string): readonly LiveSkill[] {
  const folder = join(journalDir, "receipts");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const open = names
    .map((name) => parseReceipt(readFileSync(join(folder, name), "utf8")))
    .filter((receipt): receipt is Receipt => typeof receipt !== "string" && isOpen(receipt));
  return [...new Map(open.map(({ live }) => [live.path, live])).values()];
}

/** Interrupted changes to this skill. Commands that only look report them; adopting and undoing finish them. */
export const findInterrupted = (
  live: LiveSkill,
  journalDir: string,
): readonly { readonly message: string; readonly hint: string }[] =>
  readReceipts(journalDir, live)
    .filter(isOpen)
    .map(({ phase, run }) => ({
      message: `An ${phase === "adopting" ? "adopt" : "undo"} of run ${run} on ${live.path} was interrupted.`,
      hint: "`whetstone adopt --finish` finishes it.",
    }));

/** For commands that only check or choose, because a half-written file can't be compared with anything. */
export function refuseInterrupted(live: LiveSkill, journalDir: string): void {
  const [first] = findInterrupted(live, journalDir);
  if (first !== undefined) throw new WhetstoneError("live-changed", first.message, { hint: first.hint });
}

/**
 * Brings every file to the state that the open receipt wants. All bytes are on the disk before the first file changes, so
 * a full disk changes none; each change is one rename or one removal.
 */
export function settle(receipt: Receipt, store: ReceiptStore): Receipt {
  const side: Side = receipt.phase === "adopting" ? "after" : "before";
  const open = receipt.files.filter(
    (file) => readLive(receipt.live, file.path)?.hash !== (file[side] ?? undefined),
  );
  refuseForeign(receipt, open, side, store);
  return guardWrites(receipt, () => {
    stageAll(receipt, open, side, store);
    for (const file of open) commitOne(receipt, file, side, store);
    if (side === "before") removeFolders(receipt, store);
    return writeReceipt(receipt, side === "after" ? "adopted" : "undone", store);
  });
}

function stageAll(receipt: Receipt, open: readonly ReceiptFile[], side: Side, store: ReceiptStore): void {
  const { operations } = store;
  try {
    for (const file of open) {
      const wanted = file[side];
      if (wanted === null) continue;
      const path = livePath(receipt.live, file.path);
      const mode = readLive(receipt.live, file.path)?.mode ?? file.mode;
      const bytes = readBackup(receipt, file, side, wanted, store.journalDir);
      operations.makeFolder(dirname(path), false);
      stageFile(path, bytes, mode, operations);
    }
  } catch (error) {
    // nothing has changed yet, so undo the request
    if (open.length === receipt.files.length) {
      for (const { path } of open) unstageFile(livePath(receipt.live, path), operations);
      if (side === "after") removeFolders(receipt, store);
      writeReceipt(receipt, side === "after" ? "undone" : "adopted", store);
    }
    throw error;
  }
}

function commitOne({ live }: Receipt, file: ReceiptFile, side: Side, { operations }: ReceiptStore): void {
  const path = livePath(live, file.path);
  if (file[side] !== null) return commitFile(path, operations);
  operations.remove(path);
  operations.syncFolder(dirname(path));
}

/** Removes only folders that adopting made, and only if they are still empty. */
function removeFolders({ live, folders }: Receipt, { operations }: ReceiptStore): void {
  for (const folder of folders.toReversed()) {
    const path = livePath(live, folder);
    if (!existsSync(path) || readdirSync(path).length > 0) continue;
    operations.removeFolder(path);
    operations.syncFolder(dirname(path));
  }
}

function refuseForeign(
  receipt: Receipt,
  open: readonly ReceiptFile[],
  side: Side,
  store: ReceiptStore,
): void {
  const from: Side = side === "after" ? "before" : "after";
  const foreign = open.find((file) => (readLive(receipt.live, file.path)?.hash ?? null) !== file[from]);
  if (foreign === undefined) return;
  const deed = side === "after" ? "Adopting" : "Undoing";
  const versions = (["before", "after"] as const).map((each) =>
    foreign[each] === null ? "no file" : backupPath(store.journalDir, receipt, each, foreign.path),
  );
  throw new WhetstoneError(
    "live-changed",
    `${deed} run ${receipt.run} was interrupted, and ${livePath(receipt.live, foreign.path)} was changed since.`,
    {
      hint: `Save your change elsewhere, restore one of its two versions (before: ${versions[0]}; after: ${versions[1]}), and run the command again.`,
    },
  );
}

/** The bytes of one file from before or after the adoption; any other bytes are refused. */
export function readBackup(
  receipt: Receipt,
  file: ReceiptFile,
  side: Side,
  wanted: string,
  journalDir: string,
): Buffer {
  const path = backupPath(journalDir, receipt, side, file.path);
  const bytes = readIfThere(path);
  if (bytes !== undefined && hashBytes(bytes) === wanted) return bytes;
  throw new WhetstoneError(
    "proposal-damaged",
    `The backup ${path} is ${bytes === undefined ? "gone" : "damaged"}.`,
    {
      hint: `${livePath(receipt.live, file.path)} was left alone; if it's in git, restore it from there.`,
    },
  );
}

/** A receipt must be about the skill that it is filed under. */
function readReceipt(path: string, live: LiveSkill): Receipt {
  const parsed = parseReceipt(readFileSync(path, "utf8"));
  const isOwn = (of: Receipt) => liveName(of.live) === liveName(live) && `${of.id}.json` === basename(path);
  if (typeof parsed !== "string" && isOwn(parsed)) return parsed;
  const fault =
    typeof parsed === "string"
      ? `isn't readable: ${parsed}`
      : `is filed under ${live.path}, but names ${parsed.live.path}.`;
  throw new WhetstoneError("proposal-damaged", `The receipt ${path} ${fault}`, {
    hint: "The bytes from before each adoption are in `backups` next to it; move the receipt away to continue without it.",
  });
}

/** Gives a failed write a file name, a reason and a next step. */
export function guardWrites<T>({ live }: Pick<Receipt, "live">, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof WhetstoneError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new WhetstoneError("live-write", `${live.path} can't be changed: ${text}.`, {
      cause: error,
      hint: "Fix that and run the same command again: it continues where it stopped, or starts over.",
    });
  }
}
