import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { RunEvent } from "../../core/events.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { adoptOffer } from "../offer/adopt.ts";
import { findEarlier } from "../offer/find-earlier.ts";
import { type PruneOptions, prune } from "./prune.ts";
import { undoOffer } from "../offer/undo.ts";

/** An office whose skill knows three of six rules and gives two pieces of advice that change nothing. */
async function office({ test: tests = 0, val = 48, noise = 0.3 } = {}) {
  const world = hiddenRuleWorld({ seed: 3, rules: 6, passWith: 0.95, passWithout: 0.05, noise });
  const server = await startScriptedServer({ seed: 3, world, record: false });
  onTestFinished(() => server.close());
  const folder = await tempDir();
  const advice = ["- Read every note twice before you answer it.", "- Stay calm."];
  const region = `<!-- whetstone:appendix:start -->\n${advice[1]}\n<!-- whetstone:appendix:end -->\n`;
  const text = `${world.seedSkill(3).trimEnd()}\n${advice[0]}\n\n${region}`;
  const path = join(folder, "SKILL.md");
  await writeFile(path, text);
  const options: PruneOptions = {
    skill: path,
    tasks: {
      train: world.tasks(2),
      val: world.tasks(val, { start: 2 }),
      ...(tests === 0 ? {} : { test: world.tasks(tests, { start: 2 + val }) }),
    },
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 20_000 },
    trials: 2,
    margin: 10,
    concurrency: 64,
    journal: await memoryJournal(),
    out: join(folder, "out"),
  };
  return { world, server, options, folder, path, text, advice };
}

test("useless rules go, useful ones stay, and the proposal can be adopted and undone", async () => {
  const {
    world,
    options: given,
    folder,
    path,
    text,
    advice,
    server,
  } = await office({
    test: 24,
    val: 24,
    noise: 0.1,
  });
  const options = { ...given, journal: join(folder, ".whetstone"), out: undefined };
  const events: RunEvent[] = [];
  const run = await prune({ ...options, onEvent: (event) => events.push(event) });
  const { summary } = run;
  const fates = (fate: string) => summary.table.filter((row) => row.fate === fate).map((row) => row.text);
  expect(fates("removed")).toEqual(expect.arrayContaining(advice));
  expect(fates("kept")).toEqual(world.rules.slice(0, 3).map((rule) => `- ${rule.sentence}`));
  expect(summary.verdict).toBe("no-loss");
  expect(summary.sentence).toMatch(
    /^No loss of more than 10 points on these test tasks, saves \d+ of \d+ tokens: .*It says nothing about other tasks\. Worst of 6 groups: .* Of tasks like these, up to \d+% could fall\./,
  );
  const useful = summary.table.find((row) => row.text.includes(world.rules[0]?.sentence ?? ""));
  expect(useful?.worth).toBeGreaterThan(0.05);
  expect(useful?.low).toBeLessThan(useful?.worth ?? 0);

  const plan = events.findIndex(({ type }) => type === "plan");
  expect(plan).toBeGreaterThan(-1);
  expect(plan).toBeLessThan(events.findIndex(({ type }) => type === "unit-end"));
  const { calls } = events[plan] as Extract<RunEvent, { type: "plan" }>;
  expect(server.callCount).toBeGreaterThanOrEqual(calls.low);
  expect(server.callCount).toBeLessThanOrEqual(calls.high);
  const table = JSON.parse(await readFile(join(run.folder, "prune.json"), "utf8")) as { table: unknown };
  expect(table.table).toEqual(JSON.parse(JSON.stringify(summary.table)));

  const bought = server.callCount;
  expect(await prune(options)).toMatchObject({ finishedBefore: true, summary });
  expect(server.callCount).toBe(bought);

  const place = { run: run.id, folder: run.folder, journalDir: join(folder, ".whetstone") };
  await expect(adoptOffer(place)).rejects.toMatchObject({ code: "unproven" });
  await adoptOffer(place, { unproven: true });
  const pruned = await readFile(path, "utf8");
  expect(pruned).not.toContain(advice[0]);
  expect(pruned).toContain("<!-- whetstone:appendix:start -->\n<!-- whetstone:appendix:end -->");
  await undoOffer(place);
  expect(await readFile(path, "utf8")).toBe(text);
});

test("an interrupted pruning goes on where it was and ends with the same bytes", async () => {
  const { options, server, folder } = await office({ val: 12, noise: 0.1 });
  const whole = await prune({ ...options, journal: await memoryJournal(), out: join(folder, "whole") });
  const calls = server.callCount;
  const stop = new AbortController();
  let seen = 0;
  const onEvent = ({ type }: RunEvent) => {
    if (type === "unit-end" && (seen += 1) === 100) stop.abort();
  };
  await expect(prune({ ...options, onEvent, signal: stop.signal })).rejects.toMatchObject({
    code: "interrupted",
  });
  const resumed = await prune(options);
  expect(server.callCount).toBe(2 * calls);
  for (const file of ["prune.json", "proposal.json", "best_skill.md"])
    expect(await readFile(join(resumed.folder, file), "utf8")).toBe(
      await readFile(join(whole.folder, file), "utf8"),
    );
});

test("two rules that say the same are not both removed", async () => {
  const { world, options, path } = await office({ val: 24, noise: 0.1 });
  const [first] = world.rules;
  const twice = `# Desk\n\n- ${first?.sentence}\n\n- Once more: ${first?.sentence}\n`;
  await writeFile(path, twice);
  const { summary } = await prune(options);
  expect(summary).toMatchObject({ removed: 1, verdict: "not-tested" });
  expect(summary.table.map(({ why }) => why).toSorted()).toEqual(["not missed", "some task needs it"]);
});

test("prunings one after another share one margin, until a person writes or adopts another text", async () => {
  const { options: given, folder, path, text, advice } = await office({ test: 24, val: 24, noise: 0.1 });
  const journalDir = join(folder, ".whetstone");
  const options = { ...given, journal: journalDir, out: undefined };
  const first = await prune(options);
  expect(first.summary).toMatchObject({ verdict: "no-loss", prunings: 0 });
  await adoptOffer({ run: first.id, folder: first.folder, journalDir }, { unproven: true });
  const pruned = await readFile(path, "utf8");

  const second = await prune(options);
  expect(second.summary.prunings).toBe(1);
  const { before } = second.result.val ?? {};
  if (before !== undefined) expect(second.summary.sentence).toContain("than before the last pruning");
  const earlier = await findEarlier(
    { skill: second.result.original, skillPath: path, journalDir },
    await memoryJournal(),
  );
  expect(earlier).toMatchObject({ prunings: 1, skill: { files: { "SKILL.md": text } } });

  await writeFile(path, `${pruned}\n${advice[0]}\n`);
  expect((await prune(options)).summary.prunings).toBe(0);
});

test("only what training added is in question with --since", async () => {
  const { world, options, path } = await office({ val: 12, noise: 0 });
  const first = await prune({ ...options, margin: 20 });
  const added = "- Be polite to everybody.";
  await writeFile(path, `${world.seedSkill(3)}${added}\n`);
  const { summary } = await prune({ ...options, margin: 20, since: first.id.slice(0, 8) });
  expect(summary.table.map(({ text, fate }) => [text, fate])).toEqual([[added, "removed"]]);
});

test("a cap that cannot pay for it is refused before the first call", async () => {
  const { options, server } = await office();
  await expect(prune({ ...options, spend: { calls: 100 } })).rejects.toMatchObject({
    code: "spend-too-small",
  });
  expect(server.callCount).toBe(0);
});

test("what cannot be shown is refused with what would do", async () => {
  const { options, path, server } = await office({ val: 1 });
  await expect(prune({ ...options, margin: 5 })).rejects.toMatchObject({
    code: "tasks-invalid",
    hint: "2 val tasks or a wider --margin would be enough. No calls were made.",
  });
  await writeFile(path, "# Only a heading\n");
  await expect(prune(options)).rejects.toMatchObject({ code: "skill-invalid" });
  await expect(prune({ ...options, margin: 0 })).rejects.toMatchObject({ code: "usage" });
  expect(server.callCount).toBe(0);
});
