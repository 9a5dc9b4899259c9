import { setTimeout as sleep } from "node:timers/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteJournal } from "../adapters/journals/sqlite/sqlite.ts";
import type { Journal, NewEntry } from "../core/ports/journal.ts";
import { crashPoint } from "./crash-point.ts";
import { faultyJournal } from "./faulty-journal.ts";
import { faultyModel } from "./faulty-model.ts";

const result = (nth: number): NewEntry => ({
  kind: "result",
  run: "r",
  key: nth.toString(16).padStart(64, "0"),
  name: "",
  body: { output: nth },
});

async function withJournal(use: (open: () => Promise<Journal>) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "whetstone-faulty-"));
  try {
    await use(() => sqliteJournal({ dir }));
  } finally {
    await rm(dir, { recursive: true });
  }
}

const settled = async (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    sleep(50).then(() => false),
  ]);

async function keptKeys(journal: Journal): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of journal.read()) keys.push(key);
  return keys;
}

test("a death before a write leaves nothing of it, and nobody is answered any more", async () => {
  await withJournal(async (open) => {
    const inner = await open();
    const crash = crashPoint({ at: 2, moment: "before" });
    const journal = faultyJournal(inner, crash);
    await journal.write(result(1));
    expect(await settled(journal.write(result(2)))).toBe(false);
    expect(await settled(journal.get(result(1).key))).toBe(false);
    await crash.death;
    await inner.close();
    const reopened = await open();
    expect(await keptKeys(reopened)).toEqual([result(1).key]);
    await reopened.close();
  });
});

test("a death after a write leaves all of it, unacknowledged", async () => {
  await withJournal(async (open) => {
    const inner = await open();
    const journal = faultyJournal(inner, crashPoint({ at: 1, moment: "after" }));
    expect(await settled(journal.write(result(1)))).toBe(false);
    await inner.close();
    const reopened = await open();
    expect(await keptKeys(reopened)).toEqual([result(1).key]);
    await reopened.close();
  });
});

test("writes of one turn die together", async () => {
  await withJournal(async (open) => {
    const inner = await open();
    const journal = faultyJournal(inner, crashPoint({ at: 3, moment: "before" }));
    const writes = [1, 2, 3].map((nth) => journal.write(result(nth)));
    expect(await settled(Promise.race(writes))).toBe(false);
    await inner.close();
    const reopened = await open();
    expect(await keptKeys(reopened)).toEqual([]);
    await reopened.close();
  });
});

test("the dead keep no lock once their journal is closed", async () => {
  await withJournal(async (open) => {
    const inner = await open();
    const journal = faultyJournal(inner, crashPoint({ at: 1 }));
    await journal.lock("r");
    void journal.write(result(1));
    await inner.close();
    const reopened = await open();
    await (await reopened.lock("r")).release();
    await reopened.close();
  });
});

test("without a fatal operation everything passes and is counted", async () => {
  await withJournal(async (open) => {
    const inner = await open();
    const crash = crashPoint();
    const journal = faultyJournal(inner, crash);
    await Promise.all([1, 2, 3].map((nth) => journal.write(result(nth))));
    expect(crash.operations).toBe(3);
    expect((await journal.get(result(2).key))?.body).toEqual({ output: 2 });
    await journal.close();
  });
});

test("a caller that dies at a call asks nothing before it, and hears nothing after it", async () => {
  const request = { model: "m/m", messages: [], maxTokens: 1 };
  const call = { key: "k", signal: new AbortController().signal };
  for (const [moment, asked] of [
    ["before", 0],
    ["after", 1],
  ] as const) {
    let calls = 0;
    const model = faultyModel(
      {
        id: "m/m",
        generate: async () => {
          calls += 1;
          return { text: "hi", finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
        },
      },
      crashPoint({ at: 1, moment }),
    );
    expect(await settled(model.generate(request, call))).toBe(false);
    expect(calls).toBe(asked);
  }
});
