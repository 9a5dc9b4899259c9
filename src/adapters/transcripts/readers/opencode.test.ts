import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { loadSqlite } from "../../journals/sqlite/load-sqlite.ts";
import { fixtureHome, readAll, recordedProject } from "../../../../test/support/fixture-home.ts";
import { readJsonLines } from "../json-lines.ts";
import { openCodeSource } from "./opencode.ts";

const recorded = "ses_e21af9da3ffefrBfbY7Fi7RxWq";

test("a recorded conversation gives what was typed, without what the program put in", async () => {
  const home = await homeWith();
  expect((await readAll(openCodeSource({ home }))).get(recorded)).toMatchObject({
    source: "opencode",
    project: recordedProject,
    turns: [
      { prompt: "use the plugin skill for the notes", answer: "Done." },
      { prompt: "please write it as @spec.txt says", answer: "Done." },
    ],
    tools: ["skill", "write"],
    skills: ["house-style"],
    files: ["notes.md"],
    startedAt: 1794731172685,
    endedAt: 1794731203681,
    // the file that the prompt named came from the machine, not from the person
    toolOutputs: expect.arrayContaining([expect.stringContaining("ATTACHED FILE TEXT")]),
  });
});

test("conversations of subagents and of other folders are not listed", async () => {
  const home = await homeWith((database) => {
    copySession(database, "ses_child", { parent_id: recorded });
    copySession(database, "ses_home", { directory: "/home/dev" });
    copySession(database, "ses_beside", { directory: "/home/dev/project-two" });
    copySession(database, "ses_below", { directory: "/home/dev/project/packages/a" });
  });
  const refs = await openCodeSource({ home }).list({ project: recordedProject, since: 0 });
  expect(refs.map(({ id }) => id).toSorted()).toEqual(["opencode:ses_below", `opencode:${recorded}`]);
  expect(await openCodeSource({ home }).list({ project: recordedProject, since: 1794731203710 })).toEqual([]);
});

test("what the person took back is gone", async () => {
  const home = await homeWith((database) =>
    database.exec(`update session set revert = '{"messageID":"msg_1de50b400001biD02O1R7ymt9X"}'`),
  );
  expect((await readAll(openCodeSource({ home }))).get(recorded)).toMatchObject({
    turns: [{ prompt: "use the plugin skill for the notes" }],
  });
});

test("nothing is written beside the database, whether the agent has it open or not", async () => {
  const home = await homeWith();
  const closed = await look(home);
  await readAll(openCodeSource({ home }));
  expect(await look(home)).toEqual(closed);

  const { DatabaseSync } = loadSqlite();
  using agent = new DatabaseSync(join(home, "opencode.db"));
  agent.exec("update session set title = 'now open'");
  const open = await look(home);
  expect(open.map(([name]) => name)).toContain("opencode.db-wal");
  expect((await readAll(openCodeSource({ home }))).get(recorded)).toMatchObject({ turns: [{}, {}] });
  expect(await look(home)).toEqual(open);
});

test("an agent that was never used has no conversations", async () => {
  expect(await readAll(openCodeSource({ home: "/nowhere" }))).toEqual(new Map());
});

/** The recorded rows in a database of the recorded form. */
async function homeWith(change: (database: DatabaseSync) => void = () => undefined): Promise<string> {
  const home = await fixtureHome("opencode");
  const { DatabaseSync } = loadSqlite();
  using database = new DatabaseSync(join(home, "opencode.db"));
  database.exec("pragma journal_mode = wal");
  database.exec(await readFile(join(home, "schema.sql"), "utf8"));
  for (const { table, ...row } of await readJsonLines(join(home, "rows.jsonl"))) {
    const columns = Object.keys(row);
    database
      .prepare(
        `insert into ${String(table)} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
      )
      .run(...(Object.values(row) as (string | number | null)[]));
  }
  change(database);
  return home;
}

function copySession(database: DatabaseSync, id: string, change: Readonly<Record<string, string>>): void {
  const row = database.prepare("select * from session where id = ?").get(recorded) ?? {};
  const copy = { ...row, id, ...change };
  const columns = Object.keys(copy);
  database
    .prepare(`insert into session (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`)
    .run(...(Object.values(copy) as (string | number | null)[]));
}

async function look(home: string) {
  const names = (await readdir(home)).toSorted();
  return Promise.all(
    names.map(
      async (name) =>
        [
          name,
          (await stat(join(home, name))).mtimeMs,
          (await readFile(join(home, name))).toString("base64"),
        ] as const,
    ),
  );
}
