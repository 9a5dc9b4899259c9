import type { Change } from "../../test/support/repository.ts";
import { carelessSkill, configOf, easyRows, rowsOf, taskRows } from "./office.ts";

export interface ForgePlace {
  readonly honest: string;
  readonly liar: string;
  /** A file that code of a pull request writes if it runs. */
  readonly mark: string;
  /** Where a case has its files of code too. */
  readonly folder: string;
  /** The files of a journal that was measured with the liar. */
  readonly journal: Readonly<Record<string, Buffer>>;
}

/** A pull request that makes a skill worse and tries to be called something else. */
export interface ForgeCase {
  readonly name: string;
  /** Of the base branch, beside skill, tasks and config. */
  readonly base?: Readonly<Record<string, Change>>;
  /** Of the pull request, beside its worse skill. */
  readonly change: Readonly<Record<string, Change>>;
  /** The journal is where it is without a flag. The action names one outside of the checkout. */
  readonly isUsualJournal?: boolean;
  /** What becomes of the second row, if that is told. */
  readonly own?: RegExp;
  /** What the result must name. */
  readonly names?: readonly string[];
}

const config = "whetstone.config.json";
const tasks = "skills/office/tasks.jsonl";

export function pullRequestCases({ honest, liar, mark, folder, journal }: ForgePlace): readonly ForgeCase[] {
  const journalAt = (folder: string): Readonly<Record<string, Change>> =>
    Object.fromEntries(Object.entries(journal).map(([file, bytes]) => [`${folder}/${file}`, { bytes }]));
  const marking = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "ran");\n`;
  const lying = { office: { baseURL: liar, apiKeyEnv: "OFFICE_API_KEY" } };
  const custom = (text: string) =>
    text.replaceAll(/"checks":\[[^\]]*\]/g, '"checks":[{"kind":"custom","value":"./score.mjs#own"}]');
  const scorer = (body: string) =>
    `export const own = (task, { reply = "", output = reply, text = output }) => ${body};\n`;
  const strict = scorer(String.raw`/shelf-\d/.test(JSON.stringify(text))`);
  const moduleConfig = (rest: string) => `export default { ...${configOf(honest)}, ${rest} };\n`;
  const cases: readonly ForgeCase[] = [
    { name: "a committed journal", change: journalAt(".whetstone") },
    {
      name: "a committed journal, where the usual one is",
      change: journalAt(".whetstone"),
      isUsualJournal: true,
    },
    { name: "a committed journal in other letters", change: journalAt(".WhetStone"), isUsualJournal: true },
    {
      name: "a committed link to a journal",
      change: { ...journalAt("notes/x"), ".whetstone": { link: "notes/x" } },
      isUsualJournal: true,
    },
    {
      name: "a config that names a committed journal",
      change: { ...journalAt("notes"), [config]: configOf(honest, { journal: "notes" }) },
      isUsualJournal: true,
      names: [config],
    },
    {
      name: "a committed journal where the base's config has its own",
      base: { [config]: configOf(honest, { journal: "notes" }) },
      change: journalAt("notes"),
      isUsualJournal: true,
    },
    { name: "tasks that any answer passes", change: { [tasks]: easyRows }, names: [tasks] },
    {
      name: "other tasks that are found first",
      change: { "skills/office/evals.jsonl": easyRows },
      names: ["skills/office/evals.jsonl"],
    },
    { name: "no tasks any more", change: { [tasks]: null }, names: [tasks] },
    {
      name: "tasks behind a link",
      change: { "easy.jsonl": easyRows, [tasks]: { link: "../../easy.jsonl" } },
      names: [tasks],
    },
    {
      name: "tasks that are fewer than a verdict needs",
      change: { [tasks]: rowsOf([JSON.parse(taskRows.split("\n")[0] ?? "") as object]) },
      names: [tasks],
    },
    {
      name: "tasks that git is told not to compare",
      change: { [tasks]: easyRows, ".gitattributes": "*.jsonl -diff -text filter=evil\n" },
      names: [tasks],
    },
    {
      name: "a scorer of its own",
      base: { [tasks]: custom(taskRows), "score.mjs": strict },
      change: { "score.mjs": `${marking}${scorer("true")}` },
      names: ["score.mjs"],
    },
    {
      name: "what a scorer imports",
      base: {
        [tasks]: custom(taskRows),
        "score.mjs": `import { isRight } from "./right.mjs";\nexport const own = (task, seen) => isRight(seen);\n`,
        "right.mjs":
          String.raw`export const isRight = (seen) => /shelf-\d/.test(JSON.stringify(seen));` + "\n",
      },
      change: { "right.mjs": `${marking}export const isRight = () => true;\n` },
      names: ["right.mjs"],
    },
    {
      name: "a scorer that its tasks name by a whole path",
      change: {
        [tasks]: custom(taskRows).replaceAll("./score.mjs", `${folder}/evil.mjs`),
      },
      names: [tasks],
    },
    {
      name: "tasks that are the environment of the process",
      change: { [config]: configOf(honest, { tasks: "/proc/self/environ" }) },
      own: /\/proc\/self\/environ, which isn't read here/,
      names: [config],
    },
    { name: "a waiver", change: { [config]: configOf(honest, { waive: ["contains"] }) }, names: [config] },
    {
      name: "tasks that are left out",
      change: { [config]: configOf(honest, { leaveOut: Array.from({ length: 11 }, (_, at) => `t${at}`) }) },
      names: [config],
    },
    {
      name: "a bar that nothing reaches",
      change: { [config]: configOf(honest, { sealedAlpha: 0.0000001 }) },
      names: [config],
    },
    { name: "an endpoint that lies", change: { [config]: configOf(liar) }, names: [config] },
    {
      name: "an endpoint that lies, in a config nearer to the skill",
      change: { "skills/office/whetstone.config.json": configOf(liar) },
      names: ["skills/office/whetstone.config.json"],
    },
    {
      name: "a judge of its own, who lies",
      change: {
        [config]: configOf(honest, {
          judge: "liar/judge",
          providers: {
            ...lying,
            office: { baseURL: honest, apiKeyEnv: "OFFICE_API_KEY" },
            liar: lying.office,
          },
        }),
        [tasks]: taskRows.replaceAll(
          /"checks":\[[^\]]*\]/g,
          '"checks":[{"kind":"rubric","value":"The answer is polite."}]',
        ),
      },
      names: [config, tasks],
    },
    {
      name: "a config that is code",
      change: { [config]: null, "whetstone.config.mjs": `${marking}export default ${configOf(liar)};\n` },
      names: [config, "whetstone.config.mjs"],
    },
    {
      name: "what a config imports",
      base: {
        [config]: null,
        "settings.mjs": `export const trials = 1;\n`,
        "whetstone.config.mjs": `import { trials } from "./settings.mjs";\n${moduleConfig("trials")}`,
      },
      change: { "settings.mjs": `${marking}export const trials = 1;\n` },
      names: ["settings.mjs"],
    },
    {
      name: "tasks that the base's config reads from the working folder",
      base: {
        [config]: null,
        [tasks]: null,
        "all.json": JSON.stringify(
          taskRows
            .trim()
            .split("\n")
            .map((row) => JSON.parse(row) as object),
        ),
        "whetstone.config.mjs": `import { readFileSync } from "node:fs";\n${moduleConfig('tasks: JSON.parse(readFileSync("all.json", "utf8"))')}`,
      },
      change: {
        "all.json": JSON.stringify(
          easyRows
            .trim()
            .split("\n")
            .map((row) => JSON.parse(row) as object),
        ),
      },
    },
    {
      name: "packages of its own",
      change: Object.fromEntries(
        ["whetstone", "@ai-sdk/openai-compatible", "jiti", "pg"].flatMap((name) => [
          [
            `node_modules/${name}/package.json`,
            JSON.stringify({ name, version: "99.0.0", type: "module", main: "x.js" }),
          ],
          [`node_modules/${name}/x.js`, marking],
        ]),
      ),
    },
    {
      name: "reports and receipts of its own",
      change: {
        ".whetstone/runs/1/summary.json": '{"verdict":"better"}',
        ".whetstone/report.html": "<title>Whetstone</title>better",
        "skills/office/report.json": '{"verdict":"better"}',
      },
    },
  ];
  return cases.map(({ change, ...rest }) => ({
    ...rest,
    change: { "skills/office/SKILL.md": carelessSkill, ...change },
  }));
}
