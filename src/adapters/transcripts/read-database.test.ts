import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { readDatabase } from "./read-database.ts";

let folder: string;
beforeEach(async () => {
  folder = await tempDir();
});

const path = () => join(folder, "store.db");
const words = () =>
  readDatabase(path(), (database) =>
    database
      .prepare("select word from words order by rowid")
      .all()
      .map((row) => row["word"]),
  );
const looks = () =>
  readdirSync(folder)
    .filter((name) => !name.endsWith("-shm"))
    .map((name) => [
      name,
      readFileSync(join(folder, name)).toString("base64"),
      statSync(join(folder, name)).mtimeMs,
    ]);

test("a database that is not there has nothing", async () => {
  expect(await words()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["wal", "delete"])(
  "in journal mode %s, one that nobody has open is read without a new file",
  async (mode) => {
    const database = new DatabaseSync(path());
    database.exec(
      `pragma journal_mode = ${mode}; create table words (word); insert into words values ('closed')`,
    );
    database.close();
    const before = looks();
    expect(await words()).toEqual(["closed"]);
    expect(looks()).toEqual(before);
  },
);

test("what an agent that still has it open wrote is read, and its files stay as they are", async () => {
  const database = new DatabaseSync(path());
  database.exec("pragma journal_mode = wal; create table words (word); insert into words values ('open')");
  const before = looks();
  expect(await words()).toEqual(["open"]);
  expect(looks()).toEqual(before);
  database.close();
});

test("one that is locked in the midst of a transaction is read as it was before", async () => {
  const database = new DatabaseSync(path());
  database.exec(
    "pragma journal_mode = delete; create table words (word); insert into words values ('before')",
  );
  database.exec("begin exclusive; insert into words values ('unfinished')");
  expect(await words()).toEqual(["before"]);
  database.exec("commit");
  database.close();
  expect(await words()).toEqual(["before", "unfinished"]);
});

test("the log that a killed agent left is read, and no shared memory file is made for it", async () => {
  const database = new DatabaseSync(path());
  database.exec("pragma journal_mode = wal; create table words (word); insert into words values ('left')");
  const [main, log] = [readFileSync(path()), readFileSync(`${path()}-wal`)];
  database.close();
  rmSync(folder, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "whetstone-db-"));
  writeFileSync(path(), main);
  writeFileSync(`${path()}-wal`, log);
  expect(await words()).toEqual(["left"]);
  expect(readdirSync(folder)).toEqual(["store.db", "store.db-wal"]);
});
