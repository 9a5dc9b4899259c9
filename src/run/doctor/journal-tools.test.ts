import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { readTree } from "../../../test/support/adopt/workshop.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Entry, Journal, NewEntry } from "../../core/ports/journal.ts";
import { checkJournal, collectGarbage } from "./journal-tools.ts";
import { listRuns, readRun, readSkills, removeRun } from "../reports/runs.ts";

const key = (digit: string) => digit.repeat(64);
const event = (run: string, name: string, seq: number, body = {}): NewEntry => ({
  kind: "event",
  run,
  key: "",
  name,
  body: { v: 1, seq, at: seq, ...body },
});
const start = (run: string, folder = "/elsewhere"): NewEntry =>
  event(run, "run-start", 1, { command: "train", steps: 2, folder, models: {}, tasks: {}, settings: {} });
const result = (run: string, digit: string): NewEntry => ({
  kind: "result",
  run,
  key: key(digit),
  name: "",
  body: { output: digit, cost: { nanoUsd: 1, tokens: 1, calls: 1 } },
});
const use = (run: string, digit: string): NewEntry => ({
  kind: "use",
  run,
  key: key(digit),
  name: "",
  body: {},
});

async function journalWith(entries: readonly NewEntry[]): Promise<string> {
  const dir = await tempDir();
  const journal = await sqliteJournal({ dir });
  for (const entry of entries) await journal.write(entry);
  await journal.close();
  return dir;
}

async function reading<T>(dir: string, read: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await sqliteJournal({ dir, readOnly: true });
  try {
    return await read(journal);
  } finally {
    await journal.close();
  }
}

async function removing(dir: string, run: string) {
  const journal = await sqliteJournal({ dir });
  try {
    return await removeRun(journal, dir, run);
  } finally {
    await journal.close();
  }
}

const entriesOf = (dir: string): Promise<readonly Entry[]> =>
  reading(dir, async (journal) => {
    const entries: Entry[] = [];
    for await (const entry of journal.read()) entries.push(entry);
    return entries;
  });

test("a removed run is gone from the list, with its artifacts, and its results stay until gc", async () => {
  const dir = await journalWith([
    start("aaaa1111"),
    result("aaaa1111", "1"),
    start("bbbb2222"),
    result("bbbb2222", "2"),
  ]);
  const folder = join(dir, "runs", "aaaa1111");
  await mkdir(folder, { recursive: true });
  const journal = await sqliteJournal({ dir });
  await journal.write(start("aaaa1111", folder));
  await journal.close();

  expect(await removing(dir, "aaaa")).toEqual({ run: "aaaa1111", folder, deleted: true, isRejecting: false });
  expect(existsSync(folder)).toBe(false);
  expect((await reading(dir, listRuns)).map(({ run }) => run)).toEqual(["bbbb2222"]);
  await expect(reading(dir, (journal) => readRun(journal, "aaaa"))).rejects.toMatchObject({
    code: "not-found",
  });
  expect((await entriesOf(dir)).filter(({ kind }) => kind === "result")).toHaveLength(2);
});

test("a folder of the user's own choice is left alone", async () => {
  const mine = await tempDir({ "thesis.md": "years of work" });
  const dir = await journalWith([start("aaaa", mine)]);
  expect(await removing(dir, "aaaa")).toMatchObject({ deleted: false });
  expect(existsSync(join(mine, "thesis.md"))).toBe(true);
});

test.each([
  ["rejections", JSON.stringify({ v: 1, rules: { 7: { deed: "reject", reason: "No." } } })],
  ["what can't be read", "{"],
])("a run is removed with %s, and it is said that they are gone", async (_, decisions) => {
  const dir = await journalWith([start("aaaa", await tempDir({}))]);
  const file = join(dir, "decisions", "aaaa.json");
  await mkdir(join(dir, "decisions"), { recursive: true });
  await writeFile(file, decisions);
  expect(await removing(dir, "aaaa")).toMatchObject({ isRejecting: true });
  expect(existsSync(file)).toBe(false);
});

test("gc keeps what a remaining run bought or used, and numbers the rest anew", async () => {
  const dir = await journalWith([
    start("gone"),
    result("gone", "1"),
    result("gone", "2"),
    start("stays"),
    use("stays", "2"),
    result("stays", "3"),
  ]);
  await removing(dir, "gone");
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ kept: 4, dropped: 3, results: 1 });
  const left = await entriesOf(dir);
  expect(left.map(({ seq, run, kind }) => [seq, run, kind])).toEqual([
    [1, "gone", "result"],
    [2, "stays", "event"],
    [3, "stays", "use"],
    [4, "stays", "result"],
  ]);
  expect(await reading(dir, (journal) => journal.get(key("1")))).toBeUndefined();
  expect((await reading(dir, (journal) => journal.get(key("2"))))?.body["output"]).toBe("2");
  expect(await checkJournal({ journalDir: dir })).toMatchObject({ rows: 4, damage: [] });

  await removing(dir, "stays");
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ kept: 0, results: 2 });
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ kept: 0, dropped: 0 });
});

test("gc keeps the result that a remaining run went on with after it had bought it once more", async () => {
  const dir = await journalWith([start("gone"), result("gone", "1"), start("stays"), result("stays", "1")]);
  await removing(dir, "gone");
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ kept: 3, results: 0 });
  expect((await reading(dir, (journal) => journal.get(key("1"))))?.run).toBe("gone");
});

test("gc forgets no read of a test set", async () => {
  const dir = await journalWith([start("gone"), event("claims", "claim-asked", 1), result("gone", "1")]);
  await removing(dir, "gone");
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ kept: 1, dropped: 3 });
  expect((await entriesOf(dir)).map(({ name }) => name)).toEqual(["claim-asked"]);
});

test("a run that was removed and started again is a run again", async () => {
  const dir = await journalWith([
    start("aaaa"),
    result("aaaa", "1"),
    event("aaaa", "run-removed", 2),
    start("aaaa"),
  ]);
  expect((await reading(dir, listRuns)).map(({ run }) => run)).toEqual(["aaaa"]);
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ dropped: 0 });
});

test("gc is refused while anybody may write, and nobody may write into an old journal", async () => {
  const dir = await journalWith([start("gone"), result("gone", "1")]);
  await removing(dir, "gone");
  const writer = await sqliteJournal({ dir });
  await expect(collectGarbage({ journalDir: dir })).rejects.toMatchObject({ code: "run-locked" });
  const program = `import { collectGarbage } from ${JSON.stringify(new URL("journal-tools.ts", import.meta.url).href)};
    await collectGarbage({ journalDir: ${JSON.stringify(dir)} }).catch((error) => console.log(error.code));`;
  const other = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(other.stdout.trim()).toBe("run-locked");
  await writer.close();
  expect(await collectGarbage({ journalDir: dir })).toMatchObject({ kept: 0, dropped: 3 });
});

test.each(["before the database", "after the database", "after the head"])(
  "a replacement that was cut short %s is reported to readers, and finished by the next writer",
  async (moment) => {
    const dir = await journalWith([start("old"), result("old", "1")]);
    const next = await journalWith([start("new"), result("new", "2")]);
    await cp(next, join(dir, "next"), { recursive: true });
    if (moment !== "before the database") {
      await rm(join(dir, "journal.db-wal"), { force: true });
      await rename(join(dir, "next", "journal.db"), join(dir, "journal.db"));
    }
    if (moment === "after the head")
      await rename(join(dir, "next", "journal.head"), join(dir, "journal.head"));
    const left = readTree(dir);
    for (const look of [() => entriesOf(dir), () => checkJournal({ journalDir: dir })])
      await expect(look()).rejects.toMatchObject({
        message: `The cleanup of the journal in ${dir} was interrupted.`,
        hint: "Finish it with `whetstone runs gc`.",
      });
    expect(readTree(dir)).toEqual(left);
    await collectGarbage({ journalDir: dir });
    expect((await entriesOf(dir)).map(({ run }) => run)).toEqual(["new", "new"]);
    expect(existsSync(join(dir, "next"))).toBe(false);
    expect(await checkJournal({ journalDir: dir })).toMatchObject({ rows: 2, damage: [] });
  },
);

test("a link in the place of a replacement is left alone: nothing is taken from where it leads", async () => {
  const dir = await journalWith([start("old")]);
  const other = await journalWith([start("other")]);
  await symlink(other, join(dir, "next"));
  const before = readTree(other);
  expect((await entriesOf(dir)).map(({ run }) => run)).toEqual(["old"]);
  await (await sqliteJournal({ dir })).close();
  expect((await entriesOf(dir)).map(({ run }) => run)).toEqual(["old"]);
  expect(readTree(other)).toEqual(before);
});

test("what a run's folder links to is not shown as its skill", async () => {
  const outside = await tempDir({ "secret.md": "the key", "keys/id": "the key" });
  const folder = await tempDir({ "skills/skill_v0000.md": "old" });
  const shown = () => readSkills(folder);
  await symlink(join(outside, "secret.md"), join(folder, "best_skill.md"));
  expect(await shown()).toBeUndefined();
  await rm(join(folder, "best_skill.md"));
  await symlink(join(outside, "keys"), join(folder, "best_skill"));
  expect(await shown()).toBeUndefined();
  await rm(join(folder, "best_skill"));
  await writeFile(join(folder, "best_skill.md"), "new");
  expect(await shown()).toEqual([{ path: "SKILL.md", before: "old", after: "new" }]);
});

test("the latest run is found without an id, and an id that fits several is an error", async () => {
  const dir = await journalWith([start("abc1"), start("abc2")]);
  expect((await reading(dir, (journal) => readRun(journal))).run).toBe("abc2");
  await expect(reading(dir, (journal) => readRun(journal, "abc"))).rejects.toThrow(
    /"abc" matches 2 runs: abc1, abc2/,
  );
});
