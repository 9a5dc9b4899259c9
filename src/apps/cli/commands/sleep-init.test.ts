import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { makeSleepProject } from "../../../../test/support/commit-project.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { createProgram } from "../program.ts";
import { sharedFolder } from "../../../config/state-folder.ts";

const before = { HOME: process.env["HOME"], XDG_STATE_HOME: process.env["XDG_STATE_HOME"] };
let folder = "";

beforeEach(async () => {
  folder = await tempDir();
  process.env["HOME"] = join(folder, "home");
  process.env["XDG_STATE_HOME"] = join(folder, "state");
});

afterEach(() => Object.assign(process.env, before));

const price = { input: 0.2, output: 1 };
const config = {
  target: "scripted/small",
  optimizer: "scripted/large",
  providers: { scripted: { baseURL: "http://127.0.0.1:9/v1" } },
  prices: { "scripted/small": price, "scripted/large": price },
};

async function init(cwd: string, ...flags: readonly string[]) {
  const { io, text } = capturedIo(cwd);
  await createProgram(io, "0").parseAsync(["node", "whetstone", "sleep", "init", "--yes", ...flags]);
  return text().replaceAll(/\s+/g, " ");
}

const consentOf = (path: string) =>
  JSON.parse(readFileSync(join(sharedFolder(path), "sleep/consent.json"), "utf8")) as Record<string, unknown>;

test("init offers the whole history with nights, price and time, and calls nobody", async () => {
  const { path } = await makeSleepProject({
    folder,
    conversations: 12,
    config: { ...config, sleep: { maxConversations: 5 } },
  });
  const text = await init(path);
  expect(text).toMatch(/claude-code 12 conversations, back to \d{4}-\d\d-\d\d/);
  expect(text).toContain("12 conversations to read, newest first: 5 a night, about 3 nights.");
  expect(text).toMatch(
    /All nights together: \d+–\d+ calls, \$[\d.]+–\$[\d.]+, [\d.]+–[\d.]+ (?:seconds|minutes)/,
  );
  expect(consentOf(path)).not.toHaveProperty("since");
});

test("a project without conversations is opted in for those to come", async () => {
  const { path } = await makeSleepProject({ folder, conversations: 0, config });
  const text = await init(path);
  expect(text).toContain("none yet; from now on those with claude-code, codex");
  expect(text).toContain("There's nothing to read yet.");
  expect(consentOf(path)["sources"]).toContain("codex");
});

test("what is allowed is bounded by --lookback and widened by --file, and both are said", async () => {
  const { path } = await makeSleepProject({ folder, conversations: 12, config });
  const text = await init(path, "--lookback", "12h", "--file", "AGENTS.md");
  expect(text).toMatch(/none that ended before \d{4}-\d\d-\d\d \(--lookback 12h\)/);
  expect(text).toContain("Rules may go into AGENTS.md too");
  const { since, files } = consentOf(path);
  expect(files).toEqual(["AGENTS.md"]);
  expect(Date.now() - Number(since)).toBeGreaterThanOrEqual(12 * 3_600_000);
  await expect(init(path, "--file", "../elsewhere.md")).rejects.toMatchObject({ code: "usage" });
  await expect(init(path, "--lookback", "3 days")).rejects.toMatchObject({
    message: expect.stringContaining('"72h"'),
  });
});
