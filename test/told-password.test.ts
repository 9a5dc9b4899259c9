import { mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lookAhead } from "../src/sleep/night/look-ahead.ts";
import { performNight } from "../src/sleep/night/perform-night.ts";
import { previewLines, previewNight } from "../src/sleep/preview.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { filesIn } from "./support/look-at-folder.ts";
import { allowNights } from "./support/night-files.ts";
import { projectState } from "./support/project-state.ts";
import { tempDir } from "./support/temp-dir.ts";

const told = "hunter-Nebel-42";
const recorded = join(import.meta.dirname, "fixtures/two-weeks");

test("the password that somebody told their agent is neither shown, kept nor sent", async () => {
  const home = join(realpathSync(await tempDir({})), "home");
  const project = join(home, "code/ledgerly");
  const sessions = join(home, ".codex/sessions/2026/11/16");
  for (const folder of [project, sessions]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, "CLAUDE.md"), "# Ledgerly\n");
  const talks = readdirSync(recorded).map(
    (name) => [name, readFileSync(join(recorded, name), "utf8")] as const,
  );
  const telling = talks.filter(([, text]) => text.includes(told));
  expect(telling).toHaveLength(1);
  for (const [name, text] of telling)
    writeFileSync(
      join(sessions, `rollout-2026-11-16T12-51-45-${name.slice(3)}`),
      text.replaceAll("/home/dev/code/ledgerly", project).replaceAll("/home/dev", home),
    );
  const journalDir = projectState(project);
  allowNights(journalDir, { project, sources: ["claude-code", "codex"], at: 0 });
  const task = { kind: "task", intent: "Count the migrations.", checks: [{ kind: "contains", value: "14" }] };
  const found = { ...task, evidence: ["the password is also used"], paraphrases: [] };
  await using server = await startScriptedServer({
    seed: 7,
    world: {
      reply: ({ system }) => ({
        text: system.endsWith("Contract: mine") ? JSON.stringify({ tasks: [found] }) : "There are 13.",
      }),
    },
  });
  const roles = ["miner", "target", "optimizer", "judge"].map((role) => [role, `scripted/${role}`]);
  const config = {
    ...Object.fromEntries(roles),
    providers: { scripted: { baseURL: `${server.url}/v1` } },
    sleep: { lookback: "all" },
  };
  const options = { config, cwd: project, home, env: {} };

  const shown = previewLines(await previewNight(await lookAhead(options))).join("\n");
  expect(shown).toContain("the password is also used for the admin UI: «SECRET:");
  expect(shown).not.toContain(told);
  const night = await performNight(options);
  expect(night).toMatchObject({ conversations: 1, tasks: 1 });
  const sent = JSON.stringify(server.calls);
  expect(sent).toContain("the password is also used");
  expect(sent).not.toContain(told);
  const written = filesIn(journalDir);
  expect(written.some((path) => path.endsWith("0001/pinned.json"))).toBe(true);
  for (const path of written)
    expect(readFileSync(join(journalDir, path), "latin1"), path).not.toContain(told);
});
