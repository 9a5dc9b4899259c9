import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { asLines, fixtureHome, readAll, recordedProject } from "../../../../test/support/fixture-home.ts";
import { piSource } from "./pi.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 10, 15, 12, 0, second)).toISOString();
const header = (version: number) => ({
  type: "session",
  version,
  id: "one",
  timestamp: at(0),
  cwd: recordedProject,
});
const message = (id: string, parentId: string | null, role: string, text: string, second = 1) => ({
  type: "message",
  id,
  parentId,
  timestamp: at(second),
  message: { role, content: role === "user" ? text : [{ type: "text", text }] },
});

test("recorded conversations of both generations give the same turns", async () => {
  const found = await readAll(piSource({ home: await fixtureHome("pi") }));
  for (const id of ["01a1dc99-70b6-720c-b05c-b21407c033de", "01a1dc9e-868e-76d4-b490-c3cc6a2811f8"])
    expect(found.get(id)).toMatchObject({
      project: recordedProject,
      turns: [
        { prompt: "Write hello.txt using npm", answer: "done." },
        { prompt: "no, use pnpm instead", answer: "switched to pnpm." },
      ],
      tools: ["write"],
      files: ["hello.txt", "hello2.txt"],
    });
});

test("skills are known from a file that was read and from a command", async () => {
  const found = await readAll(piSource({ home: await fixtureHome("pi") }));
  expect(found.get("01a1dc99-7a69-70ab-b984-344258e61e2a")).toMatchObject({
    skills: ["greet-style"],
    tools: ["read", "write"],
  });
  expect(found.get("01a1dc94-5cfa-723f-b5b6-f847fce7b044")).toMatchObject({
    skills: ["greet-style"],
    turns: [{ prompt: "/skill:greet-style now", answer: "ok" }],
  });
});

test("of a tree only the branch counts where the person is", async () => {
  const found = await readSession([
    header(3),
    message("a", null, "user", "Sort the list."),
    message("b", "a", "assistant", "Sorted upwards."),
    message("c", "b", "user", "An abandoned try."),
    message("d", "c", "assistant", "Abandoned."),
    {
      type: "branch_summary",
      id: "s",
      parentId: "b",
      timestamp: at(5),
      fromId: "d",
      summary: "A try was abandoned.",
    },
    message("e", "s", "user", "No, downwards."),
    message("f", "e", "assistant", "Sorted downwards."),
  ]);
  expect(found).toMatchObject({
    turns: [
      { prompt: "Sort the list.", answer: "Sorted upwards." },
      { prompt: "No, downwards.", answer: "Sorted downwards." },
    ],
  });
});

test("the first version was a plain list, without ids", async () => {
  const strip = ({ id: _id, parentId: _parent, ...rest }: ReturnType<typeof message>) => rest;
  const { version: _version, ...old } = header(1);
  const found = await readSession([
    old,
    strip(message("a", null, "user", "Sort the list.")),
    strip(message("b", "a", "assistant", "Sorted.")),
  ]);
  expect(found).toMatchObject({ turns: [{ prompt: "Sort the list.", answer: "Sorted." }] });
});

test.each([
  ["a parent is missing", [message("a", "nowhere", "user", "Hello.")]],
  ["ids are doubled", [message("a", null, "user", "Hello."), message("a", "a", "assistant", "Hi.")]],
  ["entries form a circle", [message("a", "b", "user", "Hello."), message("b", "a", "assistant", "Hi.")]],
])("a tree in which %s is skipped with a reason", async (_what, entries) => {
  expect(await readSession([header(3), ...entries])).toEqual({
    skipped: "Its tree is damaged: entries are missing, duplicated or in a circle.",
  });
});

test("a fork holds only what was said in it", async () => {
  const found = await readSession([
    { ...header(3), timestamp: at(100), parentSession: "/home/dev/.pi/agent/sessions/x.jsonl" },
    message("a", null, "user", "Sort the list.", 1),
    message("b", "a", "assistant", "Sorted.", 2),
    message("c", "b", "user", "Now the other one.", 101),
  ]);
  expect(found).toMatchObject({ turns: [{ prompt: "Now the other one." }] });
});

async function readSession(records: readonly object[]) {
  const home = await tempDir();
  const path = join(home, "sessions/--home-dev-project--/one.jsonl");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, asLines(records));
  return (await readAll(piSource({ home }))).get("one");
}
