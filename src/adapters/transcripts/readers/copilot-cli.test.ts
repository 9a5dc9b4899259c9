import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { asLines } from "../../../../test/support/fixture-home.ts";
import { copilotCliSource } from "./copilot-cli.ts";
import { looked, ran, wrote } from "../../../../test/support/reminders/recorded-calls.ts";

const fixtures = join(import.meta.dirname, "../../../../test/fixtures/transcripts/copilot-cli");
const inShop = { project: "/home/dev/shop", since: 0 };

let home: string;
beforeEach(async () => {
  home = await tempDir();
  const database = new DatabaseSync(join(home, "session-store.db"));
  database.exec("pragma journal_mode = wal");
  database.exec(readFileSync(join(fixtures, "session-store.sql"), "utf8"));
  database.close();
});

function keepEvents(): void {
  const folder = join(home, "session-state", "a1d7c0de-0001");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(fixtures, "events.jsonl"), join(folder, "events.jsonl"));
}

test("a conversation: turns from the store, what tools did from the events", async () => {
  keepEvents();
  const source = copilotCliSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toEqual({
    calls: [
      ran(0, "npm", "install", "decimal.js"),
      wrote(0, "src/discount.ts"),
      wrote(2, "src/cart.ts"),
      looked(2),
    ],
    id: "copilot-cli:a1d7c0de-0001",
    source: "copilot-cli",
    project: "/home/dev/shop",
    branch: "feature/discount",
    startedAt: Date.UTC(2026, 8, 28, 7, 14),
    endedAt: Date.UTC(2026, 8, 28, 7, 19),
    turns: [
      {
        prompt: "Add a discount to the cart and install what you need",
        answer: "The cart takes a discount now; I ran npm install decimal.js.",
      },
      { prompt: "no, use pnpm instead", answer: "Done with pnpm." },
    ],
    tools: ["bash", "create", "edit", "view"],
    skills: ["money"],
    files: ["src/discount.ts", "src/cart.ts"],
    heard: expect.any(Array),
    toolOutputs: ["added 1 package, and audited 214 packages in 2s\n<exited with exit code 0>"],
  });
});

test("conversations below the project belong to it, those above do not", async () => {
  const refs = await copilotCliSource({ home }).list(inShop);
  expect(refs.map((ref) => ref.id)).toEqual(["copilot-cli:a1d7c0de-0001", "copilot-cli:a1d7c0de-0003"]);
});

test("fault 12: a time without a zone is UTC, whichever zone the person lives in", async () => {
  const source = copilotCliSource({ home });
  const changed = Date.UTC(2026, 8, 28, 7, 20);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const zone of ["Asia/Shanghai", "America/Los_Angeles", "UTC"]) {
    vi.stubEnv("TZ", zone);
    expect((await source.list({ ...inShop, since: changed }))[0]).toMatchObject({ changedAt: changed });
    expect((await source.list({ ...inShop, since: changed + 1 })).map((ref) => ref.id)).toEqual([
      "copilot-cli:a1d7c0de-0003",
    ]);
  }
});

test("while Copilot has its store open and locked, what it has written is read", async () => {
  const database = new DatabaseSync(join(home, "session-store.db"));
  database.exec("update sessions set branch = 'later' where id = 'a1d7c0de-0001'; begin exclusive");
  database.exec("update sessions set branch = 'unfinished' where id = 'a1d7c0de-0001'");
  const source = copilotCliSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toMatchObject({ branch: "later", toolOutputs: [] });
  database.close();
});

test("a turn without an answer was interrupted; a conversation that was deleted is skipped", async () => {
  const source = copilotCliSource({ home });
  const [first, below] = await source.list(inShop);
  expect(await source.read(below!)).toMatchObject({ turns: [{ prompt: "Rename the endpoint", answer: "" }] });
  const database = new DatabaseSync(join(home, "session-store.db"));
  database.exec("delete from turns; delete from session_files; delete from sessions");
  database.close();
  expect(await source.read(first!)).toEqual({ skipped: "It no longer exists." });
  expect(await copilotCliSource({ home: join(home, "nowhere") }).list(inShop)).toEqual([]);
});

test("turns that the store lacks are read from the log, with outputs in their place", async () => {
  const folder = join(home, "session-state", "a1d7c0de-0001");
  mkdirSync(folder, { recursive: true });
  const event = (type: string, data: object) => ({ type, data, timestamp: "2026-09-28T07:15:00.000Z" });
  writeFileSync(
    join(folder, "events.jsonl"),
    asLines([
      event("user.message", { content: "One." }),
      event("tool.execution_complete", { result: { content: "PRINTED" } }),
      event("assistant.message", { content: "First." }),
      event("user.message", { content: "A skill's text.", source: "skill-money" }),
      event("assistant.message", { content: "Of a subagent.", parentToolCallId: "call_1" }),
      event("user.message", { content: "Two." }),
      event("assistant.message", { content: "Second." }),
      event("user.message", { content: "Three." }),
    ]),
  );
  const source = copilotCliSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toMatchObject({
    turns: [
      { prompt: "One.", answer: "First." },
      { prompt: "Two.", answer: "Second." },
      { prompt: "Three.", answer: "" },
    ],
    toolOutputs: ["PRINTED"],
    heard: [0, 1, 1],
  });
});
