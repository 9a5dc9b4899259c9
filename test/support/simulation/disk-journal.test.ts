import { expect, test } from "vitest";
import type { Entry, Journal } from "../../../src/core/ports/journal.ts";
import { testJournal } from "../../../src/testing/journal-suite.ts";
import { type Disk, diskJournal } from "./disk-journal.ts";

testJournal(
  "disk",
  async () => {
    const { disk } = crashDisk();
    const journal = await diskJournal(disk);
    return {
      journal,
      reopen: async () => {
        await journal.close();
        return diskJournal(disk);
      },
      end: () => journal.close(),
    };
  },
  { test, expect },
);

test("a write resolves only after its sync", async () => {
  const { disk, releaseSync } = crashDisk({ manual: true });
  const journal = await diskJournal(disk);
  let isDone = false;
  const writing = journal.write(event("a")).then(() => (isDone = true));
  await turns(5);
  expect(isDone).toBe(false);
  expect(await gather(journal)).toEqual([]);
  releaseSync();
  await writing;
  expect(await gather(journal)).toHaveLength(1);
});

test("a torn line that nobody was promised is dropped, however often the machine crashes", async () => {
  const lines: string[] = [];
  for (let crash = 1; crash <= 4; crash += 1) {
    const journal = await diskJournal(diskOf(lines));
    await journal.write(event(`kept ${crash}`));
    await (await journal.lock("run")).release();
    lines.push(`00000000 00000000 [${crash},"event","ru`);
  }
  const entries = await gather(await diskJournal(diskOf(lines)));
  expect(entries.map(({ name }) => name)).toEqual(["kept 1", "kept 2", "kept 3", "kept 4"]);
  expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

test("a damaged line that was promised is loud", async () => {
  const lines: string[] = [];
  const journal = await diskJournal(diskOf(lines));
  for (const name of ["a", "b", "c"]) await journal.write(event(name));
  for (const [at, line] of lines.entries()) {
    if (line.startsWith("head")) continue;
    const damaged = lines.with(at, line.replace("event", "evend"));
    await expect(diskJournal(diskOf(damaged))).rejects.toMatchObject({ code: "journal-damaged" });
    await expect(diskJournal(diskOf(lines.toSpliced(at, 1)))).rejects.toMatchObject({
      code: "journal-damaged",
    });
  }
});

test("a line that a failed disk left is synced before a run relies on it", async () => {
  const lines: string[] = [];
  let isFailing = true;
  let synced = 0;
  const disk: Disk = {
    ...diskOf(lines),
    async sync() {
      if (isFailing) throw new Error("EIO");
      synced = lines.length;
    },
  };
  await expect((await diskJournal(disk)).write(event("a"))).rejects.toMatchObject({
    code: "journal-write",
  });
  const later = await diskJournal(disk);
  expect(await gather(later)).toHaveLength(1);
  await expect(later.lock("run")).rejects.toMatchObject({ code: "journal-write" });
  isFailing = false;
  await later.lock("run");
  expect([synced, lines.length]).toEqual([lines.length, lines.length]);
  expect(synced).toBeGreaterThan(0);
});

test("lock sees lines that went away while the journal was open", async () => {
  const lines: string[] = [];
  const journal = await diskJournal(diskOf(lines));
  await journal.write(event("a"));
  lines.length = 0;
  await expect(journal.lock("run")).rejects.toMatchObject({ code: "journal-damaged" });
});

test("after a failed sync every waiting and every later write is refused", async () => {
  const sync = () => Promise.reject(new Error("disk gone"));
  const journal = await diskJournal({ ...diskOf([]), sync });
  const writes = await Promise.allSettled([journal.write(event("a")), journal.write(event("b"))]);
  expect(writes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(journal.write(event("c"))).rejects.toMatchObject({ code: "journal-write" });
  expect(await gather(journal)).toEqual([]);
});

const event = (name: string) => ({ kind: "event", run: "run", key: "", name, body: {} }) as const;

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
};

async function gather(journal: Journal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}

const diskOf = (lines: string[]): Disk => ({
  append: (added) => void lines.push(...added),
  sync: () => turns(1),
  lines: () => [...lines],
});

function crashDisk({ manual = false } = {}) {
  const lines: string[] = [];
  const gate = Promise.withResolvers<void>();
  const disk: Disk = { ...diskOf(lines), sync: () => (manual ? gate.promise : turns(1)) };
  return { disk, releaseSync: () => gate.resolve() };
}
