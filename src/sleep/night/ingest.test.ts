import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../adapters/redaction/create-redactor.ts";
import { claudeCodeSource } from "../../adapters/transcripts/readers/claude-code.ts";
import { codexSource } from "../../adapters/transcripts/readers/codex.ts";
import { fixtureHome, readAll } from "../../../test/support/fixture-home.ts";
import { piSource } from "../../adapters/transcripts/readers/pi.ts";
import { hashText } from "../../core/canonical.ts";
import { fingerprint } from "../../core/guard/shared-text.ts";
import { type RawConversation, sourceNames } from "../../core/ports/conversation.ts";
import { redactConversation } from "./ingest.ts";

const secret = "a8Kd93mfLq02Vb8s";
const known = "correct!horse7battery";

const conversation: RawConversation = {
  id: "codex:1",
  source: "codex",
  project: "/home/dev/project",
  branch: `fix/${known}`,
  commit: "a1356c8d8bb22cefd1215640e8abed31f65e2337",
  startedAt: 1,
  endedAt: 2,
  turns: [
    {
      prompt: `Why does it refuse ${secret}?`,
      answer: `You set {"apiToken": "${secret}"}, it wants ${known}.`,
    },
  ],
  tools: ["shell"],
  skills: ["deploy"],
  files: [`keys/${known}.txt`],
  toolOutputs: [
    `the server said that the value ${known} is not a valid value for this very field of the form`,
  ],
};

test("fault 21: every text of a conversation is looked through before it is a digest; outputs of tools stay behind as fingerprints", async () => {
  const redactor = await createRedactor({ env: { DB_PASSWORD: known } });
  const digest = await redactConversation(conversation, redactor);
  expect(digest).toEqual({
    v: 1,
    id: `codex:${hashText("codex:1").slice(0, 16)}`,
    source: "codex",
    project: "/home/dev/project",
    branch: "fix/«SECRET:known:1»",
    commit: conversation.commit,
    startedAt: 1,
    endedAt: 2,
    // the prompt comes first, and the answer names what it was
    turns: [
      {
        prompt: "Why does it refuse «SECRET:assignment:1»?",
        answer: 'You set {"apiToken": "«SECRET:assignment:1»"}, it wants «SECRET:known:1».',
      },
    ],
    tools: ["shell"],
    skills: ["deploy"],
    files: ["keys/«SECRET:known:1».txt"],
    untrusted: fingerprint(
      "the server said that the value «SECRET:known:1» is not a valid value for this very field of the form",
    ),
  });
  expect(digest.untrusted.length).toBeGreaterThan(4);
});

test("a conversation whose redactor fails is no digest", async () => {
  const broken = { redact: () => Promise.reject(new Error("no")) };
  await expect(redactConversation(conversation, broken)).rejects.toThrow("no");
});

test("fault 18: a secret in JSON is taken out, whichever agent the conversation is of", async () => {
  const redactor = await createRedactor({ env: {} });
  const prompt = `It prints {"api_key": "${secret}", "region": "eu"}`;
  for (const source of sourceNames) {
    const raw = {
      ...conversation,
      id: `${source}:1`,
      source,
      turns: [{ prompt, answer: JSON.stringify({ prompt }) }],
    };
    const text = JSON.stringify(await redactConversation(raw, redactor));
    expect(text, source).not.toContain(secret);
    expect(text.match(/«SECRET:assignment:1»/g), source).toHaveLength(2);
  }
});

test.each([
  ["claude-code", claudeCodeSource],
  ["codex", codexSource],
  ["pi", piSource],
] as const)("fault 18: a secret in JSON that was typed to %s is in no digest", async (agent, open) => {
  const home = await fixtureHome(agent);
  const typed = JSON.stringify(`Use {"api_key": "${secret}"} with npm`).slice(1, -1);
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !path.endsWith(".jsonl")) continue;
    await writeFile(path, (await readFile(path, "utf8")).replaceAll("Write hello.txt using npm", typed));
  }
  const redactor = await createRedactor({ env: {} });
  let planted = 0;
  for (const raw of (await readAll(open({ home }))).values()) {
    if ("skipped" in raw) continue;
    if (JSON.stringify(raw).includes(secret)) planted += 1;
    expect(JSON.stringify(await redactConversation(raw, redactor))).not.toContain(secret);
  }
  expect(planted).toBeGreaterThan(0);
});

test("ids of conversations stay apart, also when the latest of Claude Code or a drawn word would be redacted", async () => {
  const ids = ["latest-3f9a1c07b2e84d55", "other-8c1d77aa90fe4b02"];
  const redactor = await createRedactor({ env: { SESSION_TOKEN: ids[0] ?? "", OTHER_TOKEN: ids[1] ?? "" } });
  const read = async (id: string) =>
    (await redactConversation({ ...conversation, id: `codex:${id}` }, redactor)).id;
  const [first, second] = [await read(ids[0] ?? ""), await read(ids[1] ?? "")];
  expect(first).toMatch(/^codex:[0-9a-f]{16}$/);
  expect(second).not.toBe(first);
  expect(await read(ids[0] ?? "")).toBe(first);
});
