import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { hashText } from "../../../core/canonical.ts";
import type { Entry, Journal, NewEntry } from "../../../core/ports/journal.ts";
import { testJournal } from "../../../testing/journal-suite.ts";
import { sqliteJournal } from "./sqlite.ts";

testJournal(
  "sqlite",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "whetstone-journal-"));
    const opened = [await sqliteJournal({ dir })];
    const open = async () => {
      const journal = await sqliteJournal({ dir });
      opened.push(journal);
      return journal;
    };
    return {
      journal: opened[0]!,
      reopen: async () => {
        await opened[0]!.close();
        return open();
      },
      second: open,
      end: async () => {
        for (const journal of opened) await journal.close();
        rmSync(dir, { recursive: true });
      },
    };
  },
  { test, expect },
);

test("the directory is private and ignored by git", async () => {
  const { dir } = await filled();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(dir, ".gitignore"), "utf8")).toBe("*\n");
  // in a folder of theirs it would hide the files that are there
  const theirs = home();
  writeFileSync(join(theirs, "SKILL.md"), "");
  await (await sqliteJournal({ dir: theirs })).close();
  expect(existsSync(join(theirs, ".gitignore"))).toBe(false);
});

test("a reader makes nothing, writes nothing and sees what a writer adds", async () => {
  const empty = join(home(), "nothing");
  await expect(sqliteJournal({ dir: empty, readOnly: true })).rejects.toMatchObject({ code: "not-found" });
  expect(existsSync(empty)).toBe(false);

  const { dir } = await filled();
  const writer = await sqliteJournal({ dir });
  const reader = await sqliteJournal({ dir, readOnly: true });
  const added = await writer.write(result(100));
  expect(await reader.get(keyOf(100))).toEqual(added);
  await expect(reader.write(result(101))).rejects.toMatchObject({ code: "journal-write" });
  await expect(reader.lock("run")).rejects.toMatchObject({ code: "journal-write" });
  await reader.close();
  await writer.close();
});

test("a journal of a newer version is left alone", async () => {
  const { dir } = await filled();
  change(dir, "UPDATE meta SET version = 2");
  await expect(sqliteJournal({ dir })).rejects.toMatchObject({ code: "journal-version" });
});

test.each([
  ["a missing head", (dir: string) => rmSync(join(dir, "journal.head"))],
  ["an unreadable head", (dir: string) => writeFileSync(join(dir, "journal.head"), "")],
  ["a missing database", (dir: string) => rmSync(join(dir, "journal.db"))],
  ["an empty database", (dir: string) => truncateSync(join(dir, "journal.db"))],
  [
    "something else in place of the database",
    (dir: string) => writeFileSync(join(dir, "journal.db"), "text".repeat(2000)),
  ],
  ["missing rows at the end", (dir: string) => change(dir, "DELETE FROM entries WHERE seq > 30")],
  ["a changed last row", (dir: string) => change(dir, "UPDATE entries SET name = 'other' WHERE seq = 40")],
  ["a changed table", (dir: string) => change(dir, "DROP INDEX by_run")],
])("%s is refused on opening, with the way out", async (_, damage) => {
  const { dir } = await filled();
  damage(dir);
  for (const readOnly of [false, true]) {
    await expect(sqliteJournal({ dir, readOnly })).rejects.toMatchObject({
      code: "journal-damaged",
      hint: expect.stringContaining("whetstone journal salvage"),
    });
  }
});

test.each([
  ["a changed row", (dir: string) => change(dir, "UPDATE entries SET body = '{}' WHERE seq = 7")],
  ["a missing row", (dir: string) => change(dir, "DELETE FROM entries WHERE seq = 7")],
  [
    "a row with a checksum made to fit",
    (dir: string) =>
      change(
        dir,
        `UPDATE entries SET body = '{}', sum = ${crc32(`7\nresult\nrun\n${keyOf(7)}\n\n{}`)} WHERE seq = 7`,
      ),
  ],
  [
    "a key that the index of results has lost",
    (dir: string) => flipInIndex(dir, Buffer.from(keyOf(7), "hex")),
  ],
  ["a row that the index of runs has lost", (dir: string) => flipInIndex(dir, Buffer.from("runresult"))],
  ["an event that the index of events has lost", (dir: string) => flipInIndex(dir, Buffer.from("run-start"))],
])("%s is found when the run is locked", async (_, damage) => {
  const { dir } = await filled();
  damage(dir);
  const journal = await sqliteJournal({ dir });
  await expect(journal.lock("run")).rejects.toMatchObject({ code: "journal-damaged" });
  // a refused lock is not held
  await expect(journal.lock("run")).rejects.toMatchObject({ code: "journal-damaged" });
  await journal.close();
});

test("get and read check what they give", async () => {
  const { dir } = await filled();
  change(dir, "UPDATE entries SET body = '{}' WHERE seq = 7");
  const journal = await sqliteJournal({ dir, readOnly: true });
  await expect(journal.get(keyOf(7))).rejects.toMatchObject({ code: "journal-damaged" });
  await expect(gather(journal)).rejects.toMatchObject({ code: "journal-damaged" });
  expect(await journal.get(keyOf(8))).toMatchObject({ seq: 8 });
  await journal.close();
});

test("a torn head falls back to the older slot, which every row still satisfies", async () => {
  const { dir } = await filled();
  const journal = await sqliteJournal({ dir });
  await journal.write(result(100));
  await journal.close();
  const head = readFileSync(join(dir, "journal.head"), "latin1");
  const newer = head.startsWith("0000000000000041") ? 0 : 4096;
  writeFileSync(join(dir, "journal.head"), `${head.slice(0, newer)}torn${head.slice(newer + 4)}`);
  const again = await sqliteJournal({ dir });
  await (await again.lock("run")).release();
  expect((await again.write(result(101))).seq).toBe(42);
  await again.close();
});

test("the lock of a killed process is free", async () => {
  const { dir } = await filled();
  const child = startChild(`const journal = await sqliteJournal({ dir: ${JSON.stringify(dir)} });
    await journal.lock("run"); console.log("locked"); setInterval(() => {}, 1000);`);
  await once(child.stdout, "data");
  const journal = await sqliteJournal({ dir });
  await expect(journal.lock("run")).rejects.toMatchObject({ code: "run-locked" });
  child.kill("SIGKILL");
  await once(child, "close");
  await (await journal.lock("run")).release();
  await journal.close();
});

test("processes that start and write at once share one journal", async () => {
  const dir = join(home(), "shared");
  const children = [1, 2, 3].map((writer) =>
    startChild(`const journal = await sqliteJournal({ dir: ${JSON.stringify(dir)} });
      for (let at = 0; at < 200; at += 1) await Promise.all([0, 1].map((half) => journal.write({ kind: "result", run: "run-${writer}",
        key: (2 * at + half).toString(16).padStart(64, "0"), name: "", body: { writer: ${writer} } })));
      await journal.close();`),
  );
  const ends = await Promise.all(children.map((child) => once(child, "close")));
  expect(ends).toEqual(children.map(() => [0, null]));
  const journal = await sqliteJournal({ dir });
  await (await journal.lock("run")).release();
  const entries = await gather(journal);
  expect(entries).toHaveLength(1200);
  expect(entries.filter(({ kind }) => kind === "result")).toHaveLength(400);
  await journal.close();
});

test("a full disk is said so, and nothing promised is lost", async () => {
  const dir = join(home(), "full");
  const child = startChild(
    `const journal = await sqliteJournal({ dir: ${JSON.stringify(dir)} });
      for (let at = 0; ; at += 1) {
        const { seq } = await journal.write({ kind: "event", run: "run", key: "", name: "", body: { text: "x".repeat(900) } })
          .catch((error) => { console.log("error", error.code); return journal.write({ kind: "event", run: "run", key: "", name: "", body: {} }); })
          .catch((error) => { console.log("error", error.code); process.exit(); });
        console.log("seq", seq);
      }`,
    "ulimit -f 400",
  );
  const lines = (await text(child.stdout)).trim().split("\n");
  expect(lines.slice(-2)).toEqual(["error journal-write", "error journal-write"]);
  const journal = await sqliteJournal({ dir });
  await (await journal.lock("run")).release();
  expect((await gather(journal)).length).toBeGreaterThanOrEqual(lines.length - 2);
  await journal.close();
});

test("a row that could be read, and was perhaps never synced, is safe once a run has its lock", async () => {
  const dir = join(home(), "unsynced");
  const earlier = await sqliteJournal({ dir });
  await earlier.write({ kind: "result", run: "run", key: hashText("a"), name: "", body: { at: 1 } });
  /** What the disk has when the log beside the database never reached it. */
  const withoutLog = async () => {
    const copy = mkdtempSync(join(home(), "copy-"));
    // by another process: closing the file in this one would drop its locks
    execFileSync("cp", [join(dir, "journal.db"), join(dir, "journal.head"), copy]);
    const journal = await sqliteJournal({ dir: copy });
    const found = await journal.get(hashText("a"));
    await journal.close();
    return found;
  };
  await expect(withoutLog()).rejects.toMatchObject({ code: "journal-damaged" });
  // somebody who reads at the same time does not stop it
  const reader = await sqliteJournal({ dir, readOnly: true });
  const later = await sqliteJournal({ dir });
  const lock = await later.lock("run");
  expect(await withoutLog()).toMatchObject({ body: { at: 1 } });
  await earlier.write({ kind: "event", run: "run", key: "", name: "", body: { at: 2 } });
  expect(await gather(reader)).toHaveLength(2);
  await lock.release();
  for (const journal of [earlier, reader, later]) await journal.close();
});

test("loading SQLite prints no warning", async () => {
  const child = startChild(`await sqliteJournal({ dir: ${JSON.stringify(join(home(), "quiet"))} });`);
  expect(await text(child.stderr)).toBe("");
});

const temporary: string[] = [];
afterAll(() => temporary.forEach((dir) => rmSync(dir, { recursive: true })));

function home(): string {
  const dir = mkdtempSync(join(tmpdir(), "whetstone-journal-"));
  temporary.push(dir);
  return dir;
}

const keyOf = (at: number): string => hashText(String(at));

const result = (at: number): NewEntry => ({
  kind: "result",
  run: "run",
  key: keyOf(at),
  name: "",
  body: { at },
});

/** A closed journal: an event, 38 results numbered like their keys, an event. */
async function filled(): Promise<{ dir: string }> {
  const dir = join(home(), "journal");
  const journal = await sqliteJournal({ dir });
  const event = (name: string): NewEntry => ({ kind: "event", run: "run", key: "", name, body: {} });
  await journal.write(event("run-start"));
  await Promise.all(Array.from({ length: 38 }, (_, at) => journal.write(result(at + 2))));
  await journal.write(event("run-end"));
  await journal.close();
  return { dir };
}

function change(dir: string, sql: string): void {
  const database = new DatabaseSync(join(dir, "journal.db"));
  database.exec(sql);
  database.close();
}

/** Flips a bit of an entry in an index page, which no row's checksum covers. */
function flipInIndex(dir: string, wanted: Buffer): void {
  const indexLeaf = 0x0a;
  const bytes = readFileSync(join(dir, "journal.db"));
  for (let page = 0; page < bytes.length; page += 4096) {
    const at = bytes.subarray(page, page + 4096).indexOf(wanted);
    if (bytes[page] !== indexLeaf || at === -1) continue;
    const last = page + at + wanted.length - 1;
    bytes[last] = bytes[last]! ^ 1;
    writeFileSync(join(dir, "journal.db"), bytes);
    return;
  }
  throw new Error("not in any index");
}

function startChild(script: string, before = "true") {
  const journal = JSON.stringify(join(import.meta.dirname, "sqlite.ts"));
  const module = `const { sqliteJournal } = await import(${journal}); ${script}`;
  const node = ["sh", process.execPath, "--input-type=module", "--eval", module];
  return spawn("sh", ["-c", `${before} && exec "$@"`, ...node], { stdio: ["ignore", "pipe", "pipe"] });
}

async function gather(journal: Journal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}
