import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { gitIn, makeRepository } from "../../../../test/support/repository.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { chatCompletion, sendJson } from "../../../../test/support/serve-handler.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** A model that answers right with a careful skill, or, as a liar, without one. */
async function startModel({ isLiar }: { readonly isLiar: boolean }) {
  let calls = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      calls += 1;
      const said = text.includes("CAREFUL") === isLiar ? "wrong" : "the answer is right";
      sendJson(200, chatCompletion(said))(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls: () => calls };
}

const skill = (text: string): string =>
  `---\nname: office\ndescription: Answers questions of the office.\n---\n\n# Office\n\n${text}\n`;

const question = (at: number, check: object): string =>
  `${JSON.stringify({ id: `t${at}`, input: `Question number ${at}?`, checks: [check] })}\n`;

/** A branch that makes a skill worse. */
async function badPullRequest(
  check: object = { kind: "contains", value: "right" },
  others: Readonly<Record<string, string>> = {},
) {
  const cwd = await tempDir();
  makeRepository(cwd, [
    {
      "skills/office/SKILL.md": skill("Be CAREFUL and answer."),
      "skills/office/tasks.jsonl": Array.from({ length: 30 }, (_, at) => question(at, check)).join(""),
      "whetstone.config.json": JSON.stringify({ target: "openai/gpt-5-nano", trials: 1, spend: { usd: 2 } }),
      ".gitignore": ".whetstone\n",
      ...others,
    },
  ]);
  gitIn(cwd)("checkout", "--quiet", "-b", "change");
  writeFileSync(join(cwd, "skills/office/SKILL.md"), skill("Answer."));
  gitIn(cwd)("commit", "--quiet", "--all", "--message", "Change");
  return cwd;
}

async function pr(cwd: string, model: string, home?: string) {
  const env = {
    PATH: process.env["PATH"],
    HOME: home ?? (await tempDir()),
    NO_COLOR: "1",
    OPENAI_API_KEY: "sk-x",
  };
  const words = [main, "pr", "--base", "main", "--fail-on", "worse"];
  const child = spawn(process.execPath, words, { cwd, env: { ...env, OPENAI_BASE_URL: model } });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (out += String(chunk)));
  return new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, out }));
  });
}

test("a journal that a pull request brings along answers nothing, and the same change measured is worse", async () => {
  const cwd = await badPullRequest();
  const [honest, liar] = [await startModel({ isLiar: false }), await startModel({ isLiar: true })];

  const author = await tempDir();
  const forged = await pr(cwd, liar.url, author);
  expect(forged.out).toContain("▲ **better**");
  const git = gitIn(cwd);
  cpSync(join(author, ".local/state/whetstone"), join(cwd, ".whetstone"), { recursive: true });
  for (const journal of globSync(join(cwd, ".whetstone/projects/*/journal.db")))
    cpSync(journal, join(cwd, ".whetstone/journal.db"));
  git("add", "--force", ".whetstone");
  git("commit", "--quiet", "--message", "Notes");
  const measured = await pr(cwd, honest.url);
  expect(measured.code, measured.out).toBe(1);
  expect(measured.out).toContain("▼ **worse**");
  expect(honest.calls()).toBeGreaterThan(0);
});

test("a branch that changes what the tasks' scorer imports is measured with the base's scorer", async () => {
  const scorer = 'import { passes } from "./helper.mjs";\nexport const ok = (_, { text }) => passes(text);\n';
  const cwd = await badPullRequest(
    { kind: "custom", value: "./skills/office/check.mjs#ok" },
    {
      "skills/office/check.mjs": scorer,
      "skills/office/helper.mjs": 'export const passes = (text) => text.includes("right");\n',
    },
  );
  writeFileSync(
    join(cwd, "skills/office/helper.mjs"),
    'export const passes = (text) => text.includes("wrong");\n',
  );
  gitIn(cwd)("commit", "--quiet", "--all", "--message", "Tidy up");
  const { out } = await pr(cwd, (await startModel({ isLiar: false })).url);
  expect(out).toContain("skills/office/helper.mjs");
  expect(out).toContain("▼ **worse**");
  expect(out).not.toContain("▲ **better**");
});
