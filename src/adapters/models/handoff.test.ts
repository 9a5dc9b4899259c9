import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { handoffModels } from "./handoff.ts";

const request: ModelRequest = {
  model: "handoff/me",
  system: "Be brief.",
  messages: [
    { role: "user", content: "One?" },
    { role: "assistant", content: "1" },
    { role: "user", content: "Two?" },
  ],
  maxTokens: 50,
};
const key = (letter: string) => letter.repeat(64);
const { signal } = new AbortController();

const answer = async (folder: string, letter: string, text: string) => {
  await mkdir(join(folder, "answers"), { recursive: true });
  await writeFile(join(folder, "answers", `${key(letter)}.md`), text);
};

test("all calls that wait are asked as files and rejected together", async () => {
  const folder = join(await tempDir(), "handoff");
  const open = handoffModels({ folder, quietMs: 100 });
  const calls = ["a", "b", "c"].map(async (letter, at) => {
    await new Promise((resolve) => setTimeout(resolve, 40 * at));
    return open(at === 2 ? "handoff/other" : "handoff/me").generate(request, { key: key(letter), signal });
  });
  for (const settled of await Promise.allSettled(calls)) {
    expect(settled).toMatchObject({
      status: "rejected",
      reason: {
        code: "handoff-pending",
        exitCode: 3,
        message: `3 questions are waiting for an answer in ${join(folder, "questions.md")}.`,
        // agents give each file to a helper of its own, and this is all they hear of the folder
        hint: expect.stringContaining(`answer each file in ${join(folder, "pending")} with`),
      },
    });
  }
  expect((await readdir(join(folder, "pending"))).toSorted()).toEqual(
    ["a", "b", "c"].map((letter) => `${key(letter)}.md`),
  );
});

test("a question tells system, messages and where the answer goes, for this person's eyes only", async () => {
  const folder = join(await tempDir(), "handoff");
  const model = handoffModels({ folder, quietMs: 20 })("handoff/me");
  await expect(model.generate(request, { key: key("a"), signal })).rejects.toMatchObject({
    code: "handoff-pending",
  });
  const question = join(folder, "pending", `${key("a")}.md`);
  expect(await readFile(question, "utf8")).toBe(
    [
      "[whetstone: written by a program, not by a person]",
      "A question for handoff/me. Write the reply, and nothing else, to",
      join(folder, "answers", `${key("a")}.md`),
      "It may have 50 tokens. Everything below is the prompt: text to reply to, from the first line with aaaaaaaa on.",
      "",
      "===== aaaaaaaa system =====",
      "Be brief.",
      "",
      "===== aaaaaaaa user =====",
      "One?",
      "",
      "===== aaaaaaaa assistant =====",
      "1",
      "",
      "===== aaaaaaaa user =====",
      "Two?",
      "",
      "===== aaaaaaaa end =====",
      "",
    ].join("\n"),
  );
  expect((await stat(question)).mode & 0o777).toBe(0o600);
  for (const each of [folder, join(folder, "pending"), join(folder, "answers")])
    expect((await stat(each)).mode & 0o777).toBe(0o700);
});

test("an answer is the reply, and its question goes", async () => {
  const folder = join(await tempDir(), "handoff");
  const model = handoffModels({ folder, quietMs: 20 })("handoff/me");
  await expect(model.generate(request, { key: key("a"), signal })).rejects.toThrow();
  await answer(folder, "a", "Two it is.\n");
  expect(await model.generate(request, { key: key("a"), signal })).toEqual({
    text: "Two it is.",
    finish: "stop",
    usage: { inputTokens: 6, outputTokens: 3 },
  });
  expect(await readdir(join(folder, "pending"))).toEqual([]);
});

test("an empty answer is none", async () => {
  const folder = join(await tempDir(), "handoff");
  await answer(folder, "a", " \n\n");
  const model = handoffModels({ folder, quietMs: 20 })("handoff/me");
  await expect(model.generate(request, { key: key("a"), signal })).rejects.toMatchObject({
    code: "handoff-pending",
  });
});

test("while others are being called, nothing is handed over", async () => {
  const folder = join(await tempDir(), "handoff");
  const model = handoffModels({ folder, quietMs: 20 })("handoff/me");
  let idle = false;
  let settled = false;
  const call = model
    .generate(request, { key: key("a"), signal, isIdle: () => idle })
    .catch(() => (settled = true));
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(settled).toBe(false);
  idle = true;
  await call;
  expect(settled).toBe(true);
});

test("a call that is given up rejects with the reason", async () => {
  const model = handoffModels({ folder: join(await tempDir(), "handoff"), quietMs: 10_000 })("handoff/me");
  const stopping = new AbortController();
  const call = model.generate(request, { key: key("a"), signal: stopping.signal });
  setTimeout(() => stopping.abort(new Error("enough")), 20);
  await expect(call).rejects.toThrow("enough");
});

test("a call that is given up while its question is written does not wait", async () => {
  const model = handoffModels({ folder: join(await tempDir(), "handoff"), quietMs: 10_000 })("handoff/me");
  const stopping = new AbortController();
  const call = model.generate(request, { key: key("a"), signal: stopping.signal });
  stopping.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
});

test("a round is one file: in order, each with its role, and instructions that are shared only once", async () => {
  const folder = join(await tempDir(), "handoff");
  const open = handoffModels({ folder, quietMs: 50 });
  const systems = { a: "Answer.", b: "Find tasks.\n\nContract: mine", c: "Find tasks.\n\nContract: mine" };
  await Promise.allSettled(
    Object.entries(systems).map(([letter, system]) =>
      open("handoff/me").generate(
        { ...request, system, messages: [{ role: "user", content: `Question ${letter}` }] },
        { key: key(letter), signal },
      ),
    ),
  );
  const sheet = await readFile(join(folder, "questions.md"), "utf8");
  expect(sheet).toBe(
    [
      "[whetstone: written by a program, not by a person]",
      "A question for handoff/me: 3 of them, in this order. Write the replies, and nothing else, to",
      join(folder, "answers.md"),
      "each below a line of its own that names its question, such as",
      "===== bbbbbbbb =====",
      "Answer each from its own instructions and text alone. Everything below the list is text to reply to.",
      "",
      "1. bbbbbbbb miner",
      "2. cccccccc miner",
      "3. aaaaaaaa target",
      "",
      "===== instructions for the miner, questions 1 to 2 =====",
      "Find tasks.\n\nContract: mine",
      "",
      "===== 1. bbbbbbbb miner, at most 50 tokens =====",
      "Question b",
      "",
      "===== 2. cccccccc miner, at most 50 tokens =====",
      "Question c",
      "",
      "===== instructions for the target, question 3 =====",
      "Answer.",
      "",
      "===== 3. aaaaaaaa target, at most 50 tokens =====",
      "Question a",
      "",
      "===== end =====",
      "",
    ].join("\n"),
  );
  expect((await stat(join(folder, "questions.md"))).mode & 0o777).toBe(0o600);
});

test("answers in one file are found by their lines; one that is missing is asked again", async () => {
  const folder = join(await tempDir(), "handoff");
  await mkdir(folder);
  await writeFile(
    join(folder, "answers.md"),
    "===== aaaaaaaa =====\nOne.\n\n===== 2. bbbbbbbb miner =====\r\n\nTwo\n===== of it\n===== cccccccc =====\n \n",
  );
  const model = handoffModels({ folder, quietMs: 20 })("handoff/me");
  const reply = async (letter: string) => (await model.generate(request, { key: key(letter), signal })).text;
  expect(await reply("a")).toBe("One.");
  expect(await reply("b")).toBe("Two\n===== of it");
  for (const letter of ["c", "d"])
    await expect(reply(letter)).rejects.toMatchObject({ code: "handoff-pending" });
});

test("too many for one file are listed in their order, each with its own", async () => {
  const folder = join(await tempDir(), "handoff");
  const open = handoffModels({ folder, quietMs: 50 });
  const keys = Array.from({ length: 16 }, (_, at) => at.toString(16).repeat(64));
  const [first] = await Promise.allSettled(
    keys.map((one) => open("handoff/me").generate(request, { key: one, signal })),
  );
  expect(first).toMatchObject({ reason: { message: expect.stringContaining(join(folder, "pending")) } });
  const lines = (await readFile(join(folder, "questions.md"), "utf8")).split("\n");
  expect(lines.filter((line) => line.includes(join(folder, "pending")))).toHaveLength(16);
  expect(lines.join("\n")).not.toContain("=====");
});
