import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { seededRandom, shuffle } from "../../core/random.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { compare } from "../verbs/compare.ts";
import { evaluate } from "../verbs/evaluate.ts";
import { prune } from "../verbs/prune.ts";
import { train } from "../verbs/train.ts";
import { embedData } from "../../report/embed-data.ts";
import { type RunReport, type StandaloneData, reportVersion } from "../../report/model.ts";
import { readBuiltApp } from "./built-app.ts";
import { checkReport, verify } from "./verify.ts";

async function office(seed: number) {
  const world = hiddenRuleWorld({ seed, rules: 6, noise: 0.2, passWith: 0.95, passWithout: 0.1 });
  const server = await startScriptedServer({ seed, world, record: false });
  onTestFinished(() => server.close());
  const journal = await tempDir();
  const options = {
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 9000 },
    seed,
    journal,
  } as const;
  const skillOf = (rules: number) => singleFileSkill(world.seedSkill(rules));
  return { world, journal, options, skillOf };
}

const readJson = async (...path: readonly string[]): Promise<Json> =>
  JSON.parse(await readFile(join(...path), "utf8"));

type Path = readonly (string | number)[];

function leaves(value: Json, path: Path = []): readonly Path[] {
  if (typeof value === "number") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leaves(one as Json, [...path, key]));
}

function edited(value: Json, [key, ...rest]: Path, edit: (leaf: Json) => Json): Json {
  if (key === undefined) return edit(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, Json>;
  copy[key] = edited(copy[key] as Json, rest, edit);
  return copy;
}

/** Of the parts that state a verdict: what isn't computed from the results of its claim. */
const notFigures =
  /^(?:overview\.(?:v|tasks|step|steps|cost|startedAt|at|workedMs)|summary\.(?:cost|steps|planned|accepted|judged|val\.baseline|val\.best|best|rules|oneShot|other|margin|tokens|flipRate|prunings|table|replies|triggers|lost\.\d+\.again))\b/;

const shownParts = ["overview", "summary", "sealed", "baselines", "tasks"] as const;

const wrong = (leaf: Json): Json => (leaf as number) * 1.01 + 0.003;

/** All numbers of the verdict's parts at once, where each must be named; and some of them one at a time. */
function expectEachFound(report: Json, seed: number): number {
  const all = shownParts.flatMap((part) => leaves((report as Record<string, Json>)[part] ?? null, [part]));
  const figures = all.filter((path) => !notFigures.test(path.join(".")));
  const named = (value: Json) =>
    checkReport(value, []).changed.map(({ figure }) => figure.replaceAll("[", ".").replaceAll("]", ""));
  const spell = (path: Path) => path.join(".");
  const forged = figures.reduce((value, path) => edited(value, path, wrong), report);
  expect(named(forged)).toEqual(expect.arrayContaining(figures.map(spell)));
  const random = seededRandom("verify", seed);
  for (const path of shuffle(figures, random).slice(0, 5))
    expect(named(edited(report, path, wrong))).toEqual([spell(path)]);
  return figures.length;
}

test.each([1, 2, 3])("comparisons hold, and every number that is edited is found (seed %i)", async (seed) => {
  const { world, options, journal, skillOf } = await office(seed);
  const tasks = world.splits({ train: 4, val: 6, test: 4 + 4 * seed });
  const [skill, baseline] = seed === 2 ? [skillOf(1), skillOf(6)] : [skillOf(1 + 2 * seed), skillOf(1)];
  const { id, folder, summary } = await compare({ ...options, skill, baseline, tasks, trials: 1 + seed });
  expect(summary.sentence).toContain("Measured at 127.0.0.1.");
  const found = await verify({ of: id.slice(0, 8), journal });
  expect(found).toMatchObject({ run: id, holds: true, changed: [], hosts: ["127.0.0.1"] });
  expect(found.figures).toBeGreaterThan(200);
  const report = await readJson(folder, "report.json");
  expect(await verify({ of: join(folder, "report.json") })).toMatchObject({ holds: true, changed: [] });
  expect(expectEachFound(report, seed)).toBeGreaterThan(60);
});

test("a training, its proposal and its baselines hold, and edits of each file are found", async () => {
  const { world, options, journal, skillOf } = await office(3);
  const { id, folder, summary } = await train({
    ...options,
    skill: skillOf(1),
    tasks: world.splits({ train: 24, val: 16, test: 12 }),
    optimizer: "office/optimizer",
    trials: 2,
    baselines: true,
  });
  expect(summary.claim).toBeDefined();
  expect(await verify({ of: id, journal })).toMatchObject({ holds: true, changed: [] });
  expectEachFound(await readJson(folder, "report.json"), 4);
  const forge = async (name: string, path: Path, edit: (leaf: Json) => Json): Promise<readonly string[]> => {
    const text = await readFile(join(folder, name), "utf8");
    await writeFile(join(folder, name), JSON.stringify(edited(JSON.parse(text), path, edit)));
    const { changed } = await verify({ of: id, journal });
    await writeFile(join(folder, name), text);
    return changed.map(({ figure }) => figure);
  };
  const more = (leaf: Json) => (leaf as number) + 0.1;
  expect(await forge("summary.json", ["claim", "difference"], more)).toEqual([
    "summary.json.claim.difference",
  ]);
  expect(await forge("proposal.json", ["proven"], (leaf) => leaf !== true)).toEqual(["proposal.json.proven"]);
  expect(await forge("report.json", ["sealed", "best", "value"], more)).toEqual([
    "report.json: sealed.best.value",
  ]);
  const flip = (leaf: Json) => 1 - (leaf as number);
  expect(await forge("test_eval_best/results.json", ["trials", 0, 0, "hard"], flip)).toContain(
    "evidence.claim.pairs[0].candidate[0]",
  );
});

test("an eval and a pruning hold, and every number that is edited is found", async () => {
  const { world, options, journal, skillOf } = await office(5);
  const tasks = {
    train: world.tasks(2),
    val: world.tasks(24, { start: 2 }),
    test: world.tasks(20, { start: 26 }),
  };
  const skill = singleFileSkill(
    `${world.seedSkill(3).trimEnd()}\n- Read every note twice.\n- Stay calm today.\n`,
  );
  const measured = await evaluate({ ...options, skill: skillOf(3), tasks, on: "val" });
  expect(await verify({ of: measured.id, journal })).toMatchObject({ holds: true });
  expectEachFound(await readJson(measured.folder, "report.json"), 5);
  const pruned = await prune({ ...options, skill, tasks, margin: 10, trials: 2 });
  expect(await verify({ of: pruned.id, journal })).toMatchObject({ holds: true, changed: [] });
  expectEachFound(await readJson(pruned.folder, "report.json"), 5);
});

test("a page is read where its own code reads it, and words that nothing computes stay apart", async () => {
  const { world, options, skillOf } = await office(5);
  const tasks = world.tasks(12);
  const { folder } = await compare({ ...options, skill: skillOf(6), baseline: skillOf(1), tasks, trials: 1 });
  const report = (await readJson(folder, "report.json")) as JsonObject;
  const overview = report["overview"] as Readonly<Record<string, string>>;
  const summary = report["summary"] as Readonly<Record<string, string>>;
  const note = " Sealed files changed: x. Correction: better by 99 points.";
  const noted = {
    ...report,
    overview: { ...overview, sentence: `${overview["sentence"]}${note}` },
    summary: { ...summary, sentence: `${summary["sentence"]}${note}` },
  };
  const found = checkReport(noted, []);
  expect([found.holds, found.sentence, found.asStated]).toEqual([true, overview["sentence"], note.trim()]);

  const app = await readBuiltApp();
  const file = join(await tempDir(), "report.html");
  const verified = async (html: string) => {
    await writeFile(file, html);
    return await verify({ of: file });
  };
  const data: StandaloneData = {
    v: reportVersion,
    note: "",
    report: report as unknown as RunReport,
    steps: [],
    rollouts: [],
  };
  const page = embedData(app, data);
  expect(await verified(page)).toMatchObject({ holds: true, isOwnPage: true });
  expect(await verified(page.replace("</title>", "!</title>"))).toMatchObject({ isOwnPage: false });
  const [own] = page.split("\n").filter((line) => line.includes('id="whetstone-data"'));
  const forged = (own ?? "").replace(/ type="[^"]+" id/, " id");
  await expect(verified(page.replace(own ?? "", () => `<!--${own}-->${forged}`))).rejects.toThrow(
    "its data isn't where a report has it",
  );
});

test("of a run the journal's own files are read, not those that the project has of it", async () => {
  const { world, options, journal, skillOf } = await office(6);
  const out = await tempDir();
  const tasks = { train: world.tasks(2), val: world.tasks(8, { start: 2 }) };
  const { id } = await evaluate({ ...options, skill: skillOf(3), tasks, on: "val", out });
  for (const name of ["report.json", "summary.json"]) await writeFile(join(out, name), "{}");
  expect(await verify({ of: id, journal })).toMatchObject({ holds: true, changed: [] });
  await writeFile(join(journal, "runs", id, "summary.json"), "{}");
  expect(await verify({ of: id, journal })).toMatchObject({ holds: false });
});

test("a file that isn't a report, or has no results, is refused with a sentence", async () => {
  const folder = await tempDir();
  const refused = async (text: string): Promise<unknown> => {
    const of = join(folder, "report.json");
    await writeFile(of, text);
    return verify({ of }).catch((error: { code: string }) => error.code);
  };
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  for (const text of ["", "{", "[]", "null", '"x"', "{}", '{"overview":{}}', deep, '{"report":{"tasks":3}}'])
    expect([text.slice(0, 20), await refused(text)]).toEqual([text.slice(0, 20), "report-invalid"]);
});

test("a report with any one part replaced by nonsense is found or refused, and nothing else happens", async () => {
  const { world, options, skillOf } = await office(6);
  const { folder } = await evaluate({
    ...options,
    skill: skillOf(3),
    tasks: { train: world.tasks(2), val: world.tasks(8, { start: 2 }) },
    on: "val",
  });
  const report = await readJson(folder, "report.json");
  for (const key of ["overview", "summary", "evidence", "tasks", "evaluations"])
    for (const nonsense of [null, 1, "x", [], {}, [[]], [{}], { a: { b: [] } }])
      expect([key, nonsense, outcome(edited(report, [key], () => nonsense as Json))]).not.toContain("holds");
});

function outcome(value: Json): string {
  try {
    return checkReport(value, []).holds ? "holds" : "changed";
  } catch (error) {
    if ((error as { code?: string }).code === "report-invalid") return "refused";
    throw error;
  }
}
