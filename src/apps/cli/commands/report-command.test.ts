import { perform } from "../../../run/verbs/perform.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptedRun } from "../../../../test/support/scripted-run.ts";
import { sqliteJournal } from "../../../adapters/journals/sqlite/sqlite.ts";
import type { RunReport } from "../../../report/model.ts";
import { trainVerb } from "../../../run/verbs/train.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../../testing/index.ts";
import { createProgram } from "../program.ts";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { sharedFolder } from "../../../config/state-folder.ts";

let cwd: string;
let run: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "whetstone-report-"));
  const journalDir = sharedFolder(cwd);
  const world = hiddenRuleWorld({ seed: 3, rules: 4 });
  await using server = await startScriptedServer({ seed: 3, world });
  const resolved = scriptedRun({
    url: server.url,
    skill: world.seedSkill(1),
    splits: world.splits({ train: 8, val: 8, test: 8 }),
    settings: { epochs: 1, batchSize: 8 },
    rest: { journalDir },
  });
  const journal = await sqliteJournal({ dir: journalDir });
  run = (await perform(trainVerb(resolved), { journal })).id;
  await journal.close();
});

afterAll(() => rm(cwd, { recursive: true }));

async function report(...args: readonly string[]): Promise<string> {
  const { io, text: printed } = capturedIo(cwd);
  await createProgram(io, "0").parseAsync(["node", "whetstone", "report", ...args]);
  return printed();
}

test("JSON goes to standard output", async () => {
  const found = JSON.parse(await report("--format", "json")) as RunReport;
  expect(found.overview.id).toBe(run);
  expect(await report(run.slice(0, 6), "--format", "json")).toContain(run);
});

test("a file goes where it is wanted, and its size is said", async () => {
  const said = await report("--format", "json", "--out", "report.json");
  expect(said).toMatch(/^report\.json {2}0\.\d\d MB$/);
  expect(readFileSync(join(cwd, "report.json"), "utf8")).toContain(run);
});

test("HTML needs the web app, and says how to get it", async () => {
  const built = existsSync(join(import.meta.dirname, "../../../../dist/ui/index.html"));
  if (!built) {
    await expect(report("--out", "r.html")).rejects.toThrow("web app");
    return;
  }
  expect(await report("--out", "r.html")).toContain("This file contains all");
  expect(readFileSync(join(cwd, "r.html"), "utf8")).toContain('id="whetstone-data"');
});

test("a run that is not there is an error with a way out", async () => {
  await expect(report("zzz")).rejects.toMatchObject({ code: "not-found", hint: expect.any(String) });
});

test("verify recomputes the run and its HTML file, and names what somebody edited without its escapes", async () => {
  const verify = async (of: string) => {
    const { io, text } = capturedIo(cwd);
    const parsed = createProgram(io, "0").parseAsync(["node", "whetstone", "verify", of]);
    const code = await parsed.then(
      () => "",
      (error: { code: string }) => error.code,
    );
    return { code, text: text() };
  };
  expect(await verify(run.slice(0, 8))).toMatchObject({
    code: "",
    text: expect.stringContaining("The arithmetic holds."),
  });
  await report(run, "--out", "honest.html");
  const honest = readFileSync(join(cwd, "honest.html"), "utf8");
  const found = await verify("honest.html");
  expect(found).toMatchObject({
    code: "",
    text: expect.stringContaining("Doesn't show: that a model was called"),
  });
  const sentence = /"overview":\{.*?"sentence":"([^"]*)"/.exec(honest)?.[1] ?? "none";
  writeFileSync(
    join(cwd, "forged.html"),
    honest.replaceAll(sentence, "Better: \\u001b[31m+99 points.\\u001b[2J"),
  );
  const forged = await verify("forged.html");
  expect(forged.code).toBe("figures-changed");
  expect(forged.text).toContain("overview.sentence: stated");
});
