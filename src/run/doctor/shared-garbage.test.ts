import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresJournal } from "../../adapters/journals/postgres/postgres.ts";
import { hashText } from "../../core/canonical.ts";
import type { Entry, Journal, NewEntry } from "../../core/ports/journal.ts";
import { type PostgresServer, startPostgres } from "../../../test/support/start-postgres.ts";
import { checkJournal, collectGarbage } from "./journal-tools.ts";
import { listRuns, removeRun } from "../reports/runs.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

test("gc keeps what a remaining run bought, used or bought once more, and the journal stays sound", async () => {
  const { url, journal, gc, check } = await shared();
  await using _ = journal;
  await journal.writeAll([
    start("gone"),
    result("gone", 1),
    result("gone", 2),
    result("gone", 3),
    { ...result("gone", 4), kind: "intent" },
    event("claims", "claim-asked", 1),
    start("stays"),
    use("stays", 2),
    result("stays", 3),
    result("stays", 7),
  ]);
  await remove(journal, "gone");
  await journal.write(event("stays", "step-start", 2));
  // its start, its own result that nobody uses, an intent and its removal
  expect(await gc()).toMatchObject({ kept: 8, dropped: 4, results: 1 });
  const left = await gather(journal);
  expect(left.map(({ run, kind, key }) => [run, kind, key])).toEqual([
    ["gone", "result", keyOf(2)],
    ["gone", "result", keyOf(3)],
    ["claims", "event", ""],
    ["stays", "event", ""],
    ["stays", "use", keyOf(2)],
    ["stays", "duplicate", keyOf(3)],
    ["stays", "result", keyOf(7)],
    ["stays", "event", ""],
  ]);
  expect(await journal.get(keyOf(1))).toBeUndefined();
  expect(await check()).toEqual({ rows: 8, results: 3, events: 3, damage: [] });
  expect(await gc()).toMatchObject({ kept: 8, dropped: 0 });

  // the last row of all shows where the journal ends
  await remove(journal, "stays");
  expect(await gc()).toMatchObject({ kept: 2, results: 3 });
  await journal.write(start("next"));
  expect(await gc()).toMatchObject({ kept: 2, dropped: 1 });
  expect(await gather(journal)).toMatchObject([{ name: "claim-asked" }, { run: "next" }]);
  expect(await check()).toMatchObject({ rows: 2, damage: [] });
  expect(server.sql(url, "SELECT string_agg(run, ' ' ORDER BY run) FROM whetstone.runs")).toBe("claims next");
});

test("what removed runs used of one another goes with them", async () => {
  const { journal, gc } = await shared();
  await using _ = journal;
  await journal.writeAll([start("a"), result("a", 1), start("b"), use("b", 1), result("b", 2), use("a", 2)]);
  for (const run of ["a", "b"]) await remove(journal, run);
  await journal.write(start("c"));
  expect(await gc()).toMatchObject({ kept: 1, results: 2 });
});

test("what a large body takes is counted as freed", async () => {
  const { journal, gc, check } = await shared();
  await using _ = journal;
  await journal.writeAll([
    start("gone"),
    { ...result("gone", 1), body: { text: large("one") } },
    start("stays"),
  ]);
  await remove(journal, "gone");
  await journal.write(event("stays", "step-start", 2));
  expect((await gc()).freedBytes).toBeGreaterThan(2000);
  expect(await check()).toMatchObject({ damage: [] });
});

test.each(["small", "large"])(
  "a %s result that was found before gc and is used after it is there again",
  async (size) => {
    const { journal, gc, check, open } = await shared();
    await using _ = journal;
    const body = { output: size === "small" ? "answer" : large("answer"), cost: {} };
    await journal.writeAll([start("gone"), { ...result("gone", 1), body }, start("live")]);
    await remove(journal, "gone");
    await journal.write(start("other"));
    await using live = await open();
    await live.lock("live");
    const found = await live.get(keyOf(1));
    expect(await gc()).toMatchObject({ results: 1 });
    expect(await journal.get(keyOf(1))).toBeUndefined();
    await Promise.all([live.write(event("live", "a", 2)), live.write(use("live", 1))]);
    expect(await live.get(keyOf(1))).toMatchObject({ body, run: "gone" });
    expect(found?.body).toEqual(body);

    await journal.write(event("live", "b", 3));
    expect(await gc()).toMatchObject({ dropped: 0 });
    expect(await journal.get(keyOf(1))).toMatchObject({ body });
    expect(await check()).toMatchObject({ damage: [] });
    await (await journal.lock("gone")).release();
  },
);

test("a result that another run bought anew after gc is not taken for the one that was found", async () => {
  const { journal, gc, open } = await shared();
  await using _ = journal;
  await journal.writeAll([start("gone"), result("gone", 1), start("live")]);
  await remove(journal, "gone");
  await journal.write(start("other"));
  await using live = await open();
  const found = await live.get(keyOf(1));
  expect(await gc()).toMatchObject({ results: 1 });
  await journal.write(result("other", 1));
  await expect(live.write(use("live", 1))).rejects.toMatchObject({ code: "journal-write" });
  expect(found?.run).toBe("gone");
  await using again = await open();
  expect(await again.get(keyOf(1))).toMatchObject({ run: "other" });
  await again.write(use("live", 1));
});

test("a use of what was dropped is refused where nobody has the result any more", async () => {
  const { journal, open } = await shared();
  await using _ = journal;
  await using other = await open();
  await expect(other.write(use("live", 1))).rejects.toMatchObject({
    code: "journal-write",
    hint: expect.stringContaining("again"),
  });
  expect(await gather(journal)).toEqual([]);
});

test("a run that is being continued, or was begun again, is left alone", async () => {
  const { journal, gc, open } = await shared();
  await using _ = journal;
  await journal.writeAll([
    result("early", 1),
    start("again"),
    result("again", 2),
    event("again", "run-removed", 2),
    start("again"),
  ]);
  await using live = await open();
  // between its lock and its first event a run looks like nothing
  const lock = await live.lock("early");
  expect(await gc()).toMatchObject({ dropped: 0, kept: 5 });
  await live.write(result("early", 3));
  await lock.release();
  await journal.write(event("again", "step-start", 4));
  expect(await gc()).toMatchObject({ dropped: 2, results: 2 });
  expect((await listRuns(journal)).map(({ run }) => run)).toEqual(["again"]);
});

test("nothing that a live run relies on disappears while garbage is collected again and again", async () => {
  const { journal, gc, check, open } = await shared();
  await using _ = journal;
  const keys = 60;
  const over = new AbortController();
  let bought = 0;
  // some large texts are the same in all runs
  const bodyOf = (at: number, buyer: string) => ({
    output: at % 3 === 0 ? large(`${at % 30}`) : at % 3 === 1 ? large(`${buyer} ${at}`) : `${buyer} ${at}`,
  });

  /** A run buys, is removed and dropped, again and again. */
  async function buyAndDrop(): Promise<number> {
    let dropped = 0;
    for (let round = 0; round < 10; round += 1) {
      const run = `bought-${round}`;
      const results = Array.from({ length: keys }, (__, at) => ({
        ...result(run, bought + at),
        body: bodyOf(bought + at, run),
      }));
      await journal.writeAll([start(run), ...results]);
      bought += keys;
      await remove(journal, run);
      dropped += (await gc()).results;
    }
    over.abort();
    return dropped;
  }

  /** As `memo` does: looks up, notes the use, buys what is not there. What the run went on with, by key. */
  async function rely(run: string, seed: number, buys: boolean): Promise<ReadonlyMap<number, Entry>> {
    await using live = await open();
    await live.lock(run);
    await live.write(start(run));
    const relied = new Map<number, Entry>();
    const inFlight = new Set<number>();
    const random = seeded(seed);
    const lane = async () => {
      while (!over.signal.aborted) {
        await sleep(10 * random());
        const at = Math.max(0, bought - Math.floor(keys * random()));
        // the other run looks at no key that this one buys: a call takes longer than the moment between look and use
        if (inFlight.has(at) || (!buys && at % 2 === 0)) continue;
        inFlight.add(at);
        const found = await live.get(keyOf(at));
        if (found !== undefined) {
          await sleep(60 * random());
          if (found.run !== run) await live.write(use(run, at));
          relied.set(at, found);
        } else if (at % 2 === 0) {
          relied.set(at, await live.write({ ...result(run, at), body: bodyOf(at, run) }));
        } else {
          inFlight.delete(at);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    return relied;
  }

  const [dropped, one, two] = await Promise.all([buyAndDrop(), rely("one", 1, true), rely("two", 2, false)]);
  expect(dropped).toBeGreaterThan(keys);
  for (let round = 0; round < 2; round += 1) {
    for (const relied of [one, two]) {
      expect(relied.size).toBeGreaterThan(keys);
      const kept = await Promise.all(Array.from(relied.keys(), (at) => journal.get(keyOf(at))));
      expect(kept.map((entry) => entry?.body)).toEqual(Array.from(relied.values(), ({ body }) => body));
    }
    expect((await check()).damage).toEqual([]);
    await gc();
  }
});

test.each([
  [
    "UPDATE whetstone.results SET body = '{}' WHERE seq IN (3, 4)",
    "Rows 3 to 4 are changed (checksum mismatch).",
  ],
  ["DELETE FROM whetstone.results WHERE seq = 3", "Run a has 4 rows, but 5 were recorded."],
  [
    "UPDATE whetstone.results SET body = substr(body, 9) WHERE seq = 5",
    "Row 5 is changed (checksum mismatch).",
  ],
  ["UPDATE whetstone.head SET seq = 9", "It ends at row 5, but the last recorded row was 9."],
  ["DELETE FROM whetstone.runs", "Run a has 5 rows, but 0 were recorded."],
])("check finds %s", async (damage, sentence) => {
  const { url, journal, check } = await shared();
  await using _ = journal;
  await journal.writeAll([start("a"), result("a", 1), result("a", 2), result("a", 3)]);
  await journal.write({ ...result("a", 4), body: { text: large("x") } });
  expect(await check()).toEqual({ rows: 5, results: 4, events: 1, damage: [] });
  server.sql(url, damage);
  expect((await check()).damage).toEqual([sentence]);
});

test("check reads nothing where no journal is", async () => {
  const url = server.createDatabase();
  await expect(checkJournal({ journalDir: "/nowhere", journalUrl: url })).rejects.toMatchObject({
    code: "not-found",
  });
});

const keyOf = (at: number): string => hashText(String(at));
const event = (run: string, name: string, seq: number, body = {}): NewEntry => ({
  kind: "event",
  run,
  key: "",
  name,
  body: { v: 1, seq, at: seq, ...body },
});
const start = (run: string): NewEntry =>
  event(run, "run-start", 1, {
    command: "train",
    steps: 2,
    folder: "/elsewhere",
    models: {},
    tasks: {},
    settings: {},
  });
const result = (run: string, at: number): NewEntry => ({
  kind: "result",
  run,
  key: keyOf(at),
  name: "",
  body: { output: `${run} ${at}` },
});
const use = (run: string, at: number): NewEntry => ({ ...result(run, at), kind: "use", body: {} });

/** More than fits beside a key. */
const large = (seed: string): string =>
  Array.from({ length: 100 }, (_, at) => hashText(`${seed} ${at}`)).join(" ");

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Handle = Journal & {
  writeAll(entries: readonly NewEntry[]): Promise<unknown>;
} & AsyncDisposable;

/** A new database, a journal in it, and the tools. */
async function shared() {
  const url = server.createDatabase();
  const place = { journalDir: "/nowhere", journalUrl: url };
  const open = async (): Promise<Handle> => {
    const journal = await postgresJournal({ url });
    const writeAll = (entries: readonly NewEntry[]) =>
      Promise.all(entries.map((entry) => journal.write(entry)));
    return { ...journal, writeAll, [Symbol.asyncDispose]: () => journal.close() };
  };
  return {
    url,
    journal: await open(),
    open,
    gc: () => collectGarbage(place),
    check: () => checkJournal(place),
  };
}

const remove = (journal: Journal, run: string) => removeRun(journal, "/nowhere", run);

async function gather(journal: Journal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}
