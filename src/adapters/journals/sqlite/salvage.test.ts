import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashText } from "../../../core/canonical.ts";
import type { Entry } from "../../../core/ports/journal.ts";
import { checkSqlite } from "../check.ts";
import { salvageSqlite } from "./salvage.ts";
import { sqliteJournal } from "./sqlite.ts";

const root = mkdtempSync(join(tmpdir(), "whetstone-salvage-"));
const sound = join(root, "sound");
let cases = 0;

beforeAll(async () => {
  const journal = await sqliteJournal({ dir: sound });
  const writes = Array.from({ length: 500 }, (_, before) => {
    const at = before + 1;
    const isEvent = at % 5 === 0;
    return journal.write({
      kind: isEvent ? "event" : "result",
      run: "run",
      key: isEvent ? "" : keyOf(at),
      name: isEvent ? "step-end" : "",
      body: { at, text: "x".repeat(500) },
    });
  });
  await Promise.all(writes);
  await journal.close();
});

afterAll(() => rmSync(root, { recursive: true }));

test("a sound journal has no damage, and everything in it is salvaged", async () => {
  const dir = damagedCopy(() => undefined);
  expect(await checkSqlite(dir)).toEqual({ rows: 500, results: 400, events: 100, damage: [] });
  const { to, ...salvage } = await salvaged(dir);
  expect(salvage).toEqual({ rows: 500, results: 400, events: 100, lost: [] });
  expect(await entries(to)).toEqual(await entries(dir));
});

test("changed and missing rows are named, and all others are salvaged under new numbers", async () => {
  const dir = damagedCopy((copy) =>
    change(
      copy,
      "UPDATE entries SET body = '{}' WHERE seq IN (7, 8, 20); DELETE FROM entries WHERE seq = 30 OR seq > 490",
    ),
  );
  const faults = [
    "Rows 7 to 8 are changed (checksum mismatch).",
    "Row 20 is changed (checksum mismatch).",
    "Row 30 is missing.",
    "Rows 491 to 500 are missing.",
  ];
  expect(await checkSqlite(dir)).toMatchObject({ rows: 486, damage: faults });
  const { to, lost, rows } = await salvaged(dir);
  expect({ lost, rows }).toEqual({ lost: faults, rows: 486 });
  const kept = await entries(to);
  expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, at) => at + 1));
  expect(kept[6]).toMatchObject({ seq: 7, key: keyOf(9), body: { at: 9 } });
  expect((await checkSqlite(to)).damage).toEqual([]);
});

test("rows beside a broken page of the file are salvaged, and the old journal stays as it was", async () => {
  const dir = damagedCopy((copy) => {
    const bytes = readFileSync(join(copy, "journal.db"));
    const tableLeaf = 0x0d;
    for (let page = 20; page < 24; page += 1) {
      if (bytes[page * 4096] === tableLeaf) bytes.fill(0xff, page * 4096, page * 4096 + 4096);
    }
    writeFileSync(join(copy, "journal.db"), bytes);
  });
  const before = snapshot(dir);
  const { rows, lost } = await salvaged(dir);
  expect(snapshot(dir)).toEqual(before);
  expect(rows).toBeGreaterThan(400);
  expect(rows).toBeLessThan(500);
  expect(lost.length).toBeGreaterThan(0);
  expect((await checkSqlite(dir)).rows).toBe(rows);
});

test("a reordered history and a lost head are named", async () => {
  const dir = damagedCopy((copy) => {
    change(copy, "UPDATE entries SET chain = chain + 1 WHERE seq = 50");
    rmSync(join(copy, "journal.head"));
  });
  expect((await checkSqlite(dir)).damage).toEqual([
    "journal.head is missing.",
    "Row 50 doesn't follow the row before it.",
    "Row 51 doesn't follow the row before it.",
  ]);
  expect((await salvaged(dir)).rows).toBe(500);
});

test("an index that does not match the rows is named", async () => {
  const dir = damagedCopy((copy) => {
    const bytes = readFileSync(join(copy, "journal.db"));
    const indexLeaf = 0x0a;
    for (let page = 0; page < bytes.length; page += 4096) {
      const at = bytes.subarray(page, page + 4096).indexOf(Buffer.from(keyOf(7), "hex"));
      if (bytes[page] === indexLeaf && at !== -1) bytes[page + at + 31]! ^= 1;
    }
    writeFileSync(join(copy, "journal.db"), bytes);
  });
  const { damage } = await checkSqlite(dir);
  expect(damage).toEqual([expect.stringContaining("the index of results doesn't match the rows")]);
});

test("what is no database any more is said so, and what is no journal is not found", async () => {
  const dir = damagedCopy((copy) => writeFileSync(join(copy, "journal.db"), "text".repeat(2000)));
  expect((await checkSqlite(dir)).damage).toEqual([expect.stringContaining("file is not a database")]);
  expect(await salvaged(dir)).toMatchObject({
    rows: 0,
    lost: [expect.stringContaining("file is not a database")],
  });
  await expect(checkSqlite(join(root, "nowhere"))).rejects.toMatchObject({ code: "not-found" });
  await expect(salvageSqlite(join(root, "nowhere"), join(root, "new"))).rejects.toMatchObject({
    code: "not-found",
  });
});

test("an existing journal is never salvaged into", async () => {
  await expect(
    salvageSqlite(
      damagedCopy(() => undefined),
      sound,
    ),
  ).rejects.toMatchObject({ code: "usage" });
});

const keyOf = (at: number): string => hashText(String(at));

function damagedCopy(damage: (dir: string) => void): string {
  cases += 1;
  const dir = join(root, `case-${cases}`);
  cpSync(sound, dir, { recursive: true });
  damage(dir);
  return dir;
}

async function salvaged(dir: string) {
  const to = `${dir}-salvaged`;
  const salvage = await salvageSqlite(dir, to);
  expect(readdirSync(to).filter((name) => name.startsWith("source-"))).toEqual([]);
  return { ...salvage, to };
}

function change(dir: string, sql: string): void {
  const database = new DatabaseSync(join(dir, "journal.db"));
  database.exec(sql);
  database.close();
}

const snapshot = (dir: string) =>
  Object.fromEntries(
    ["journal.db", "journal.db-wal", "journal.head"].map((name) => {
      const file = join(dir, name);
      return [name, existsSync(file) ? readFileSync(file).toString("base64") : undefined];
    }),
  );

async function entries(dir: string): Promise<Entry[]> {
  const journal = await sqliteJournal({ dir });
  const found: Entry[] = [];
  for await (const entry of journal.read()) found.push(entry);
  await journal.close();
  return found;
}
