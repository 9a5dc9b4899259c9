import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashText } from "../../../core/canonical.ts";
import type { Entry, Journal, NewEntry } from "../../../core/ports/journal.ts";
import { cuttingProxy } from "../../../../test/support/cutting-proxy.ts";
import { testJournal } from "../../../testing/journal-suite.ts";
import { type PostgresServer, startPostgres } from "../../../../test/support/start-postgres.ts";
import { type PostgresJournalOptions, postgresJournal } from "./postgres.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

testJournal(
  "postgres",
  async () => {
    const url = server.createDatabase();
    const opened = [await postgresJournal({ url })];
    const open = async () => {
      const journal = await postgresJournal({ url });
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
      },
    };
  },
  { test, expect },
);

test("a reader makes nothing, writes nothing and sees what a writer adds", async () => {
  const empty = server.createDatabase();
  await expect(postgresJournal({ url: empty, readOnly: true })).rejects.toMatchObject({ code: "not-found" });
  expect(server.sql(empty, "SELECT to_regnamespace('whetstone') IS NULL")).toBe("t");

  const { url } = await filled();
  await using writer = await opened(url);
  await using reader = await opened(url, { readOnly: true });
  const added = await writer.journal.write(result(100));
  expect(await reader.journal.get(keyOf(100))).toEqual(added);
  await expect(reader.journal.write(result(101))).rejects.toMatchObject({ code: "journal-write" });
  await expect(reader.journal.lock("run")).rejects.toMatchObject({ code: "journal-write" });
});

test("a large body is kept compressed, and a change inside it is found", async () => {
  const url = server.createDatabase();
  await using writer = await opened(url);
  const transcript = Array.from({ length: 5000 }, (_, at) => hashText(`${at % 700}`)).join(" ");
  const written = await Promise.all(
    [1, 2, 3].map((at) => writer.journal.write({ ...result(at), body: { transcript } })),
  );
  await writer.journal.write(result(4));
  expect(server.sql(url, "SELECT max(length(body)) < 60000 FROM whetstone.results")).toBe("t");
  for (const entry of written) expect(await writer.journal.get(entry.key)).toEqual(entry);

  server.sql(
    url,
    "UPDATE whetstone.results SET body = set_byte(body, 900, get_byte(body, 900) # 1) WHERE seq = 1",
  );
  await expect(writer.journal.get(keyOf(1))).rejects.toMatchObject({ code: "journal-damaged" });
  expect(await writer.journal.get(keyOf(4))).toMatchObject({ seq: 4 });
});

test.each([
  ["a changed body", `UPDATE whetstone.results SET body = '{}' WHERE seq = 7`],
  [
    "a changed number",
    `UPDATE whetstone.results SET seq = 47 WHERE seq = 7; UPDATE whetstone.head SET seq = 47`,
  ],
  ["a changed run", `UPDATE whetstone.results SET run = 'other' WHERE seq = 7`],
])("%s is found by get and read", async (_, damage) => {
  const { url } = await filled();
  server.sql(url, damage);
  await using reader = await opened(url, { readOnly: true });
  await expect(reader.journal.get(keyOf(7))).rejects.toMatchObject({ code: "journal-damaged" });
  await expect(gather(reader.journal)).rejects.toMatchObject({ code: "journal-damaged" });
  expect(await reader.journal.get(keyOf(8))).toMatchObject({ seq: 8 });
});

test.each([
  [
    "missing rows at the end",
    "DELETE FROM whetstone.results WHERE seq > 30; DELETE FROM whetstone.log WHERE seq > 30",
  ],
  ["a missing head", "DELETE FROM whetstone.head"],
  ["a missing table", "DROP TABLE whetstone.log"],
])("%s is refused on opening", async (_, damage) => {
  const { url } = await filled();
  server.sql(url, damage);
  for (const readOnly of [false, true])
    await expect(postgresJournal({ url, readOnly })).rejects.toMatchObject({
      code: "journal-damaged",
      hint: expect.stringContaining("backup"),
    });
});

test.each([
  ["a missing row", "DELETE FROM whetstone.results WHERE seq = 7"],
  ["a row in place of another", "UPDATE whetstone.log SET sum = sum + 1 WHERE seq = 1"],
])("%s is found when the run is locked, and another run goes on", async (_, damage) => {
  const { url } = await filled();
  server.sql(url, damage);
  await using writer = await opened(url);
  await expect(writer.journal.lock("run")).rejects.toMatchObject({ code: "journal-damaged" });
  // a refused lock is not held
  await expect(writer.journal.lock("run")).rejects.toMatchObject({ code: "journal-damaged" });
  await (await writer.journal.lock("another")).release();
});

test("a journal of another version is left alone", async () => {
  const { url } = await filled();
  server.sql(url, "INSERT INTO whetstone.meta VALUES (1000)");
  for (const readOnly of [false, true])
    await expect(postgresJournal({ url, readOnly })).rejects.toMatchObject({ code: "journal-version" });
});

test("the tables are made once, whole or not at all, however many processes start", async () => {
  const url = server.createDatabase();
  server.sql(url, "CREATE SCHEMA whetstone; CREATE TABLE whetstone.runs (at int)");
  await expect(postgresJournal({ url })).rejects.toMatchObject({ code: "journal-write" });
  expect(server.sql(url, "SELECT to_regclass('whetstone.meta') IS NULL")).toBe("t");
  server.sql(url, "DROP TABLE whetstone.runs");
  const journals = await Promise.all([1, 2, 3].map(() => postgresJournal({ url })));
  for (const journal of journals) await journal.close();
  expect(server.sql(url, "SELECT count(*), max(version) FROM whetstone.meta")).toBe("1|2");
});

test("what is wrong with an address is said with the next step and without its password", async () => {
  const address = `postgres://whetstone:hush-hush@127.0.0.1:${server.port}/nowhere?sslmode=disable`;
  const error = await postgresJournal({ url: address }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "not-found", hint: expect.stringContaining("createdb") });
  expect(String(error)).toContain(`postgres://whetstone@127.0.0.1:${server.port}/nowhere`);
  expect(String(error)).not.toContain("hush");
  await expect(postgresJournal({ url: "postgres://whetstone@127.0.0.1:9/x" })).rejects.toMatchObject({
    code: "journal-write",
    hint: expect.stringContaining("run the same command again"),
  });
});

test("a database that cannot hold every text is refused", async () => {
  const url = server.createDatabase().replace(/\w+$/, "latin");
  server.sql(url.replace(/\w+$/, "postgres"), "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  await expect(postgresJournal({ url })).rejects.toMatchObject({ code: "config-invalid" });
});

test("a batch whose answer was lost is kept once", async () => {
  const { url } = await filled();
  const proxy = await cuttingProxy(server.port);
  const through = new URL(url);
  through.port = String(proxy.port);
  await using writer = await opened(through.href);
  for (const call of ["whetstone.append", "whetstone.flush", "whetstone.append"]) {
    proxy.cutAfter = call;
    const at = 200 + proxy.cuts;
    const [mine, late, note] = await Promise.all([
      writer.journal.write(result(at)),
      writer.journal.write(result(7)),
      writer.journal.write(event(`after ${call} ${at}`)),
    ]);
    expect(mine).toMatchObject({ kind: "result", key: keyOf(at) });
    expect(late).toMatchObject({ kind: "result", key: keyOf(7), seq: 7 });
    expect(note.seq).toBe(mine.seq + 2);
  }
  expect(proxy.cuts).toBe(3);
  const entries = await gather(writer.journal);
  expect(entries).toHaveLength(40 + 9);
  expect(entries.filter(({ kind }) => kind === "duplicate")).toHaveLength(3);
  await (await writer.journal.lock("run")).release();
  await proxy.end();
});

test("what was promised is there after restarts and crashes, once, even where the server is told not to wait", async () => {
  const url = server.createDatabase();
  server.sql(url, `ALTER DATABASE ${url.split("/").at(-1)!} SET synchronous_commit = off`);
  await using writer = await opened(url);
  const promised: Entry[] = [];
  const over = new AbortController();
  const writing = Array.from({ length: 8 }, async (_, lane) => {
    for (let at = 0; !over.signal.aborted; at += 1) {
      promised.push(await writer.journal.write(event(`${lane} ${at}`)));
      await writer.journal.get(keyOf(1));
    }
  });
  for (const mode of ["immediate", "fast", "immediate"] as const) {
    await sleep(200);
    await server.stop(mode);
    const before = promised.length;
    await server.start();
    while (promised.length < before + 20) await sleep(10);
  }
  over.abort();
  await Promise.all(writing);
  const entries = await gather(writer.journal);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
  expect(entries).toEqual(promised.toSorted((a, b) => a.seq - b.seq));
  expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
});

test("whoever lost a run's lock to another process can write nothing more to it", async () => {
  const { url } = await filled();
  const proxy = await cuttingProxy(server.port);
  const through = new URL(url);
  through.port = String(proxy.port);
  await using first = await opened(through.href);
  await first.journal.lock("run");
  await first.journal.write(event("mine"));

  proxy.isClosed = true;
  endLockSessions(url);
  await using second = await opened(url);
  await second.journal.lock("run");
  await expect(first.journal.write(event("too late"))).rejects.toMatchObject({ code: "run-locked" });
  expect((await gather(second.journal)).at(-1)?.name).toBe("mine");
  await proxy.end();
});

test("a lock that the server forgot is taken again, and no write fails", async () => {
  const { url } = await filled();
  await using first = await opened(url);
  await using second = await opened(url);
  const lock = await first.journal.lock("run");
  for (let round = 0; round < 2; round += 1) {
    endLockSessions(url);
    await first.journal.write(event(`after loss ${round}`));
    while (server.sql(url, lockSessions) === "") await sleep(10);
    await expect(second.journal.lock("run")).rejects.toMatchObject({ code: "run-locked" });
  }
  await lock.release();
  await (await second.journal.lock("run")).release();
});

test("the lock of a killed process is free", async () => {
  const { url } = await filled();
  const child = startChild(`const journal = await postgresJournal({ url: ${JSON.stringify(url)} });
    await journal.lock("run"); console.log("locked");`);
  await once(child.stdout, "data");
  await using writer = await opened(url);
  await expect(writer.journal.lock("run")).rejects.toMatchObject({ code: "run-locked" });
  child.kill("SIGKILL");
  await once(child, "close");
  while (server.sql(url, lockSessions) !== "") await sleep(10);
  await (await writer.journal.lock("run")).release();
});

test("processes that start and write at once share one journal", async () => {
  const url = server.createDatabase();
  const children = [1, 2, 3].map((writer) =>
    startChild(`const journal = await postgresJournal({ url: ${JSON.stringify(url)} });
      for (let at = 0; at < 100; at += 1) await Promise.all([0, 1].map((half) => journal.write({ kind: "result", run: "run-${writer}",
        key: (2 * at + half).toString(16).padStart(64, "0"), name: "", body: { writer: ${writer} } })));
      await journal.close();`),
  );
  const ends = await Promise.all(
    children.map(async (child) => [...(await once(child, "close")), await text(child.stderr)]),
  );
  expect(ends).toEqual(children.map(() => [0, null, ""]));
  await using reader = await opened(url);
  for (const run of ["run-1", "run-2", "run-3"]) await (await reader.journal.lock(run)).release();
  const entries = await gather(reader.journal);
  expect(entries).toHaveLength(600);
  expect(entries.filter(({ kind }) => kind === "result")).toHaveLength(200);
});

const keyOf = (at: number): string => hashText(String(at));

const result = (at: number): NewEntry => ({
  kind: "result",
  run: "run",
  key: keyOf(at),
  name: "",
  body: { at },
});

const event = (name: string): NewEntry => ({ kind: "event", run: "run", key: "", name, body: {} });

/** A closed journal: an event, 38 results numbered like their keys, an event. */
async function filled(): Promise<{ url: string }> {
  const url = server.createDatabase();
  await using writer = await opened(url);
  await writer.journal.write(event("run-start"));
  await Promise.all(Array.from({ length: 38 }, (_, at) => writer.journal.write(result(at + 2))));
  await writer.journal.write(event("run-end"));
  return { url };
}

async function opened(
  url: string,
  options: Omit<PostgresJournalOptions, "url"> = {},
): Promise<{ journal: Journal } & AsyncDisposable> {
  const journal = await postgresJournal({ url, ...options });
  return { journal, [Symbol.asyncDispose]: () => journal.close() };
}

// those of runs have a number of 64 bits
const lockSessions = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

function endLockSessions(url: string): void {
  server.sql(url, `SELECT pg_terminate_backend(pid, 5000) FROM (${lockSessions}) locks`);
}

function startChild(script: string) {
  const journal = JSON.stringify(join(import.meta.dirname, "postgres.ts"));
  const module = `const { postgresJournal } = await import(${journal}); ${script}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", module], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function gather(journal: Journal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}
