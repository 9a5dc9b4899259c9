import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../temp-dir.ts";
import { sqliteJournal } from "../../../src/adapters/journals/sqlite/sqlite.ts";
import type { Journal, NewEntry } from "../../../src/core/ports/journal.ts";
import { type CrashPoint, crashPoint } from "./crash-point.ts";
import { faultyJournal } from "./faulty-journal.ts";

const result = (nth: number): NewEntry => ({
  kind: "result",
  run: "r",
  key: nth.toString(16).padStart(64, "0"),
  name: "",
  body: { output: nth },
});

const settled = async (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    sleep(50).then(() => false),
  ]);

/** Lets somebody use a journal that dies there, and gives what a journal of the same folder holds afterwards. */
async function reopenAfter(crash: CrashPoint, use: (journal: Journal) => Promise<void>): Promise<Journal> {
  const dir = await tempDir();
  const inner = await sqliteJournal({ dir });
  await use(faultyJournal(inner, crash));
  await inner.close();
  const reopened = await sqliteJournal({ dir });
  onTestFinished(() => reopened.close());
  return reopened;
}

async function keptKeys(journal: Journal): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of journal.read()) keys.push(key);
  return keys;
}

test("a death before a write leaves nothing of it, and nobody is answered any more", async () => {
  const crash = crashPoint({ at: 2, moment: "before" });
  const reopened = await reopenAfter(crash, async (journal) => {
    await journal.write(result(1));
    expect(await settled(journal.write(result(2)))).toBe(false);
    expect(await settled(journal.get(result(1).key))).toBe(false);
    await crash.death;
  });
  expect(await keptKeys(reopened)).toEqual([result(1).key]);
});

test("a death after a write leaves all of it, unacknowledged", async () => {
  const reopened = await reopenAfter(crashPoint({ at: 1, moment: "after" }), async (journal) => {
    expect(await settled(journal.write(result(1)))).toBe(false);
  });
  expect(await keptKeys(reopened)).toEqual([result(1).key]);
});

test("writes of one turn die together", async () => {
  const reopened = await reopenAfter(crashPoint({ at: 3, moment: "before" }), async (journal) => {
    const writes = [1, 2, 3].map((nth) => journal.write(result(nth)));
    expect(await settled(Promise.race(writes))).toBe(false);
  });
  expect(await keptKeys(reopened)).toEqual([]);
});

test("the dead keep no lock once their journal is closed", async () => {
  const reopened = await reopenAfter(crashPoint({ at: 1 }), async (journal) => {
    await journal.lock("r");
    void journal.write(result(1));
  });
  await (await reopened.lock("r")).release();
});

test("without a fatal operation everything passes and is counted", async () => {
  const crash = crashPoint();
  await reopenAfter(crash, async (journal) => {
    await Promise.all([1, 2, 3].map((nth) => journal.write(result(nth))));
    expect(crash.operations).toBe(3);
    expect((await journal.get(result(2).key))?.body).toEqual({ output: 2 });
  });
});
