import type { Entry, Journal, NewEntry, ReadFilter } from "../core/ports/journal.ts";

/** The parts of a test runner that the suite needs; vitest's `test` and `expect` fit. */
export interface TestTools {
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (value: unknown) => Expectation;
}

export interface Expectation {
  toBe(value: unknown): void;
  toEqual(value: unknown): void;
  toMatchObject(value: object): void;
  readonly rejects: { toMatchObject(value: object): Promise<void> };
}

/** A separate journal for each test. */
export interface JournalFixture {
  readonly journal: Journal;
  /** Closes the journal and opens it again with its contents. */
  readonly reopen: () => Promise<Journal>;
  /** Another handle on the same journal, as another process would have; leave it out if that isn't possible. */
  readonly second?: () => Promise<Journal>;
  /** Closes and removes everything. */
  readonly end: () => Promise<void>;
}

/**
 * The conformance suite of the journal port, which every adapter must pass.
 *
 * @example
 * const suiteOf = (open: () => Promise<JournalFixture>, tools: TestTools) => testJournal("my own", open, tools);
 */
export function testJournal(
  name: string,
  open: () => Promise<JournalFixture>,
  { test, expect }: TestTools,
): void {
  const fact = (sentence: string, body: (fixture: JournalFixture) => Promise<void>) =>
    test(`${name} journal: ${sentence}`, async () => {
      const fixture = await open();
      try {
        await body(fixture);
      } finally {
        await fixture.end();
      }
    });

  fact("an empty one has no results and no entries", async ({ journal }) => {
    expect(await journal.get(keyOf(1))).toBe(undefined);
    expect(await gather(journal)).toEqual([]);
  });

  fact("a written result is found by its key", async ({ journal }) => {
    const written = await journal.write(result(1));
    expect(written).toEqual({ ...result(1), seq: 1 });
    expect(await journal.get(keyOf(1))).toEqual(written);
    expect(await journal.get(keyOf(2))).toBe(undefined);
  });

  fact("only results are found by key", async ({ journal }) => {
    for (const kind of ["intent", "failure", "metered"] as const) await journal.write({ ...result(1), kind });
    expect(await journal.get(keyOf(1))).toBe(undefined);
  });

  fact("the first result wins, a later one is kept as duplicate", async ({ journal }) => {
    const first = await journal.write(result(1, { answer: "first" }));
    const second = await journal.write(result(1, { answer: "second" }));
    expect(second).toEqual(first);
    expect(await journal.get(keyOf(1))).toEqual(first);
    expect(await gather(journal)).toEqual([
      first,
      { ...result(1, { answer: "second" }), kind: "duplicate", seq: 2 },
    ]);
  });

  fact("of many results for one key at once exactly one wins, and everybody gets it", async ({ journal }) => {
    const given = await Promise.all(
      Array.from({ length: 50 }, (_, at) => journal.write(result(1, { answer: at }))),
    );
    for (const entry of given) expect(entry).toEqual(given[0]);
    expect((await gather(journal, { kinds: ["result"] })).length).toBe(1);
    expect((await gather(journal, { kinds: ["duplicate"] })).length).toBe(49);
  });

  fact("entries are numbered 1, 2, 3, … in the order of their writes", async ({ journal }) => {
    const together = await Promise.all([
      journal.write(event("a")),
      journal.write(result(1)),
      journal.write(event("b")),
    ]);
    const later = await journal.write(event("c"));
    expect([...together, later].map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(await gather(journal)).toEqual([...together, later]);
  });

  fact("what was written is there after reopening, and numbering goes on", async ({ journal, reopen }) => {
    const before = await Promise.all([journal.write(result(1)), journal.write(event("a"))]);
    const again = await reopen();
    expect(await gather(again)).toEqual(before);
    expect(await again.get(keyOf(1))).toEqual(before[0]);
    expect(await again.write(result(1, { answer: "late" }))).toEqual(before[0]);
    expect((await again.write(event("b"))).seq).toBe(4);
  });

  fact("a filter selects by run, kind, name and number, and keeps the order", async ({ journal }) => {
    await Promise.all([
      journal.write({ ...event("run-start"), run: "one" }),
      journal.write({ ...result(1), run: "one" }),
      journal.write({ ...event("run-start"), run: "two" }),
      journal.write({ ...event("step-end"), run: "one" }),
      journal.write({ ...result(2), run: "two", kind: "intent" }),
      journal.write({ ...result(2), run: "two" }),
      journal.write({ ...event("run-end"), run: "one" }),
    ]);
    const numbers = async (filter: ReadFilter) => (await gather(journal, filter)).map(({ seq }) => seq);
    expect(await numbers({ run: "one" })).toEqual([1, 2, 4, 7]);
    expect(await numbers({ kinds: ["result"] })).toEqual([2, 6]);
    expect(await numbers({ kinds: ["intent", "event"] })).toEqual([1, 3, 4, 5, 7]);
    expect(await numbers({ names: ["run-end", "run-start"] })).toEqual([1, 3, 7]);
    expect(await numbers({ run: "one", names: ["run-start", "step-end"] })).toEqual([1, 4]);
    expect(await numbers({ run: "two", kinds: ["result", "intent"], after: 5 })).toEqual([6]);
    expect(await numbers({ after: 4 })).toEqual([5, 6, 7]);
    expect(await numbers({ kinds: ["result"], names: ["run-end"] })).toEqual([]);
    expect(await numbers({ kinds: [] })).toEqual([]);
    expect(await numbers({ names: [] })).toEqual([]);
    expect(await numbers({ run: "three" })).toEqual([]);
    expect(await numbers({ after: 7 })).toEqual([]);
  });

  fact("a kind is read over all runs, in order, whatever lies between", async ({ journal }) => {
    const intent = (at: number, run: string): NewEntry => ({ ...result(at, { at }), kind: "intent", run });
    const first = await journal.write(intent(1, "one"));
    await Promise.all(Array.from({ length: 250 }, (_, at) => journal.write(result(at))));
    const [second] = await Promise.all([
      journal.write(intent(1, "two")),
      journal.write({ ...event("a"), run: "two" }),
    ]);
    expect(await gather(journal, { kinds: ["intent"] })).toEqual([first, second]);
    expect(await gather(journal, { kinds: ["intent"], after: first.seq })).toEqual([second]);
    expect(await gather(journal, { run: "two", kinds: ["intent"] })).toEqual([second]);
  });

  fact("any text and large bodies come back unchanged", async ({ journal, reopen }) => {
    const body = {
      text: 'é 漢字 😀 \u2028 \u0000 \\ " \n \ud800 end',
      "": [null, true, -0.5, 1e300, { deep: ["x"] }],
      large: "ab€".repeat(350_000),
    };
    const written = await journal.write({ ...result(1, body), run: "run ü", name: "" });
    expect(written.body).toEqual(body);
    const again = await reopen();
    expect((await again.get(keyOf(1)))?.body).toEqual(body);
    expect(await gather(again, { run: "run ü" })).toEqual([written]);
  });

  fact("an entry cannot be changed after it was written", async ({ journal }) => {
    const body = { list: ["kept"] };
    const writing = journal.write(result(1, body));
    body.list.push("too late");
    await writing;
    const found = await journal.get(keyOf(1));
    Object.assign(found?.body ?? {}, { list: "changed by a reader" });
    expect((await journal.get(keyOf(1)))?.body).toEqual({ list: ["kept"] });
  });

  fact("ten thousand writes at once are all kept", async ({ journal, reopen }) => {
    const writes = Array.from({ length: 10_000 }, (_, at) =>
      journal.write(at % 4 === 0 ? event(`e${at}`) : result(at)),
    );
    const written = await Promise.all(writes);
    expect(written.map(({ seq }) => seq)).toEqual(written.map((_, at) => at + 1));
    const again = await reopen();
    expect(await gather(again)).toEqual(written);
    await (await again.lock("run")).release();
  });

  fact("a reader that stops early leaves the journal usable", async ({ journal }) => {
    await Promise.all(Array.from({ length: 300 }, (_, at) => journal.write(result(at))));
    for await (const entry of journal.read()) if (entry.seq === 150) break;
    expect((await journal.write(event("after"))).seq).toBe(301);
  });

  fact("the lock of a run is exclusive until it is released", async ({ journal }) => {
    const lock = await journal.lock("run");
    await expect(journal.lock("run")).rejects.toMatchObject({ code: "run-locked" });
    const other = await journal.lock("another run/with: odd name");
    await lock.release();
    await (await journal.lock("run")).release();
    await other.release();
  });

  fact("closing releases the locks and ends the writing", async ({ journal, reopen }) => {
    await journal.lock("run");
    const last = journal.write(event("last"));
    const again = await reopen();
    expect((await last).seq).toBe(1);
    await expect(journal.write(event("too late"))).rejects.toMatchObject({ code: "journal-write" });
    await (await again.lock("run")).release();
    await journal.close();
  });

  fact("what is no entry is refused, and nothing of it is kept", async ({ journal }) => {
    await expect(journal.write({ ...result(1), key: "short" })).rejects.toMatchObject({ name: "TypeError" });
    await expect(journal.write({ ...event("a"), key: keyOf(1) })).rejects.toMatchObject({
      name: "TypeError",
    });
    await expect(journal.write({ ...event("a"), run: "nul \0" })).rejects.toMatchObject({
      name: "TypeError",
    });
    expect((await journal.write(event("b"))).seq).toBe(1);
  });

  fact("two handles share results, numbers and locks", async ({ journal, second }) => {
    const other = await second?.();
    if (other === undefined) return;
    await Promise.all(
      Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? journal : other).write(result(at % 50, { at }))),
    );
    const entries = await gather(journal);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
    expect(entries.filter(({ kind }) => kind === "result").length).toBe(50);
    expect(await gather(other)).toEqual(entries);
    const lock = await journal.lock("run");
    await expect(other.lock("run")).rejects.toMatchObject({ code: "run-locked" });
    await lock.release();
    await (await other.lock("run")).release();
    await other.close();
  });
}

const keyOf = (at: number): string => at.toString(16).padStart(64, "0");

const result = (at: number, body: NewEntry["body"] = { answer: at }): NewEntry => ({
  kind: "result",
  run: "run",
  key: keyOf(at),
  name: "",
  body,
});

const event = (name: string): NewEntry => ({
  kind: "event",
  run: "run",
  key: "",
  name,
  body: { type: name },
});

async function gather(journal: Journal, filter?: ReadFilter): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read(filter)) entries.push(entry);
  return entries;
}
