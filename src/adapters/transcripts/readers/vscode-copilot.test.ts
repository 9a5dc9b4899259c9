import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { vscodeCopilotSource } from "./vscode-copilot.ts";
import { vscodeHomes } from "../../coding-agents/vscode-copilot.ts";

const fixtures = join(import.meta.dirname, "../../../../test/fixtures/transcripts/vscode-copilot");
const id = "0b1f6a3e-8a38-4c55-9f6d-1d3c8c1f2b70";

let home: string;
let workspace: string;
beforeEach(async () => {
  home = await tempDir();
  workspace = join(home, "User", "workspaceStorage", "5f0c9d");
  mkdirSync(join(workspace, "chatSessions"), { recursive: true });
  copyFileSync(join(fixtures, "workspace.json"), join(workspace, "workspace.json"));
});

const keep = (file: string, as = file) =>
  copyFileSync(join(fixtures, file), join(workspace, "chatSessions", as));
const source = () => vscodeCopilotSource({ homes: [join(home, "not here"), home] });
const inShop = { project: "/home/dev/shop", since: 0 };

test("a conversation: the log of operations ends in what was typed, answered and done", async () => {
  keep(`${id}.jsonl`);
  const [ref] = await source().list(inShop);
  expect(await source().read(ref!)).toEqual({
    id: `vscode-copilot:${id}`,
    source: "vscode-copilot",
    project: "/home/dev/shop",
    branch: "feature/discount",
    commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    startedAt: 1790500000000,
    endedAt: 1790500060000,
    turns: [
      {
        prompt: "Add a discount to the cart and install what you need",
        answer: "The cart takes a discount now; I ran `npm install decimal.js`.",
      },
      { prompt: "no, use pnpm instead", answer: "Done with pnpm." },
    ],
    tools: ["copilot_readFile", "run_in_terminal"],
    skills: ["money"],
    files: ["src/cart.ts"],
    heard: expect.any(Array),
    toolOutputs: [
      "added 1 package in 2s",
      "added 1 package, and audited 214 packages in 2s",
      "# Money\nPrices are integers of cents, always.",
      "[Terminal 3fa85f64-5717 notification: command completed with exit code 0. Use send_to_terminal to continue]\nadded 1 package",
    ],
  });
});

test("fault 14: what the editor reports, what was taken back and other extensions' requests are no prompts", async () => {
  keep(`${id}.jsonl`);
  const [ref] = await source().list(inShop);
  const conversation = JSON.stringify(await source().read(ref!));
  expect(conversation).not.toContain('"prompt":"[Terminal');
  expect(conversation).not.toContain("use yarn");
  expect(conversation).not.toContain("another extension");
  expect(conversation).not.toContain("the whole workspace");
});

test("an older version's single object is read, until a log of the same name goes on", async () => {
  keep("older-session.json");
  const [ref] = await source().list(inShop);
  expect(await source().read(ref!)).toMatchObject({
    id: "vscode-copilot:older-session",
    startedAt: 1755000000000,
    turns: [{ prompt: "Which command runs the tests?", answer: "Run `make check`." }],
  });
  keep(`${id}.jsonl`, "older-session.jsonl");
  expect((await source().list(inShop)).map((each) => each.path.slice(-6))).toEqual([".jsonl"]);
});

test("text between two tools is joined with the names that stand in it, and the last such text is the answer", async () => {
  const response = [
    { value: "See " },
    { kind: "inlineReference", inlineReference: { fsPath: "/home/dev/shop/src/cart.ts" } },
    { value: " for it." },
  ];
  const requests = [{ message: { text: "where?" }, response }];
  writeFileSync(join(workspace, "chatSessions", "s.json"), JSON.stringify({ requests }));
  const [ref] = await source().list(inShop);
  expect(await source().read(ref!)).toMatchObject({
    turns: [{ prompt: "where?", answer: "See `cart.ts` for it." }],
  });
});

test("a damaged file, a folder on another machine and another project's folder give nothing", async () => {
  writeFileSync(join(workspace, "chatSessions", "broken.jsonl"), '{"kind":1,"k":["x"],"v":1}\nnot json\n');
  const [ref] = await source().list(inShop);
  expect(await source().read(ref!)).toEqual({ skipped: "Its file is damaged." });
  expect(await source().list({ project: "/home/dev/other", since: 0 })).toEqual([]);
  const remote = { folder: "vscode-remote://ssh-remote%2Bbox/home/dev/shop" };
  writeFileSync(join(workspace, "workspace.json"), JSON.stringify(remote));
  expect(await source().list(inShop)).toEqual([]);
});

test("a log cannot reach what all objects share", async () => {
  const operations = [
    { kind: 0, v: { requests: [] } },
    { kind: 1, k: ["__proto__", "polluted"], v: true },
    { kind: 1, k: ["constructor", "prototype", "polluted"], v: true },
    { kind: 2, k: ["requests"], v: [{ message: { text: "hello" }, response: [] }] },
  ];
  writeFileSync(
    join(workspace, "chatSessions", "x.jsonl"),
    operations.map((each) => JSON.stringify(each)).join("\n"),
  );
  const [ref] = await source().list(inShop);
  expect(await source().read(ref!)).toMatchObject({ turns: [{ prompt: "hello", answer: "" }] });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("each system has its own place, for three editions and the portable one", () => {
  const of = (platform: NodeJS.Platform, person: string, env = {}) =>
    vscodeHomes({ home: person, env, platform });
  expect(of("linux", "/home/dev")).toEqual([
    "/home/dev/.config/Code",
    "/home/dev/.config/Code - Insiders",
    "/home/dev/.config/VSCodium",
  ]);
  expect(of("darwin", "/Users/dev")[0]).toBe("/Users/dev/Library/Application Support/Code");
  expect(of("win32", "C:\\Users\\dev", { APPDATA: "D:\\Roaming" })[2]).toBe("D:\\Roaming\\VSCodium");
  expect(of("win32", "C:\\Users\\dev")[0]).toBe("C:\\Users\\dev\\AppData\\Roaming\\Code");
  expect(of("linux", "/home/dev", { VSCODE_PORTABLE: "/opt/code/data" })[0]).toBe("/opt/code/data/user-data");
});
