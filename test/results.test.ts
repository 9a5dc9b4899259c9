import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { fillFigures } from "./support/results/fill-figures.ts";
import { readLog, readRecords, recordOf } from "./support/results/record.ts";
import { resultsPage } from "./support/results/results-page.ts";

const root = join(import.meta.dirname, "..");
const records = readRecords();

test("RESULTS.md is what `npm run results` makes of the records", () => {
  expect(readFileSync(join(root, "proofs/RESULTS.md"), "utf8")).toBe(resultsPage(records));
});

test("README and docs have the figures of the records", () => {
  const pages = globSync(["README.md", "docs/*.md"], { cwd: root });
  const marked = pages.filter((path) => {
    const text = readFileSync(join(root, path), "utf8");
    expect(text, `${path}: npm run results`).toBe(fillFigures(text, records));
    return text.includes("<!-- figure: ");
  });
  expect(marked).not.toEqual([]);
});

test("a result without a commit is listed as to be measured, and its figures are shown nowhere", () => {
  const page = readFileSync(join(root, "proofs/RESULTS.md"), "utf8");
  const [, toMeasure = ""] = page.split(/^## /m);
  expect(page).not.toMatch(/^\|.*\| not noted \| \d{4}-/m);
  for (const [name, { commit, command }] of records) {
    expect(page.includes(`\n## ${name}\n`), name).toBe(commit !== null);
    expect(page.includes(`\n| [${name}](`), name).toBe(commit !== null);
    if (commit === null) expect(toMeasure).toContain(`- ${name}: \`${command}\`\n`);
  }
  const unsigned = [...records].find(([, { commit }]) => commit === null) ?? expect.unreachable();
  const quoted = `<!-- figure: ${unsigned[0]}.share -->1<!-- /figure -->`;
  expect(() => fillFigures(quoted, records)).toThrow("has no commit");
});

test("every record is of a proof, and says what is not known", () => {
  const proofs = [
    ...globSync("proofs/*.ts", { cwd: root }).map((path) => basename(path, ".ts")),
    ...globSync("src/**/*.long.test.ts", { cwd: root }).map((path) => basename(path, ".long.test.ts")),
  ];
  expect(records.size).toBeGreaterThan(40);
  for (const [name, record] of records) {
    expect(proofs, name).toContain(record.proof);
    expect(record.date, name).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(record.page ?? record.lines, name).not.toEqual([]);
    if (record.commit === null) expect(record.noted, name).toMatch(/[\da-f]{7}/);
  }
});

test("a log becomes the record that the execution would have written", () => {
  const log = [
    " RUN  v5 /somewhere",
    "a line",
    '{"ok":true,"short":false,"seconds":3,"seed":7,"share":0.25}',
    " ✓ src/a.long.test.ts (1 test)",
  ].join("\n");
  const execution = readLog("gate", log, ["--seed", "7"]);
  expect(execution).toEqual({
    proof: "gate",
    short: false,
    args: ["--seed", "7"],
    seconds: 3,
    lines: ["a line"],
    ok: true,
    figures: { seed: 7, share: 0.25 },
  });
  const record = recordOf(execution);
  expect(record).toMatchObject({ command: "npm run -s proof gate -- --seed 7", seed: 7, ok: true });
  expect(fillFigures("<!-- figure: gate.share % -->?<!-- /figure -->", new Map([["gate", record]]))).toBe(
    "<!-- figure: gate.share % -->25 %<!-- /figure -->",
  );
  expect(() => readLog("gate", "a line\n", [])).toThrow("has not come to its end");
  expect(() => fillFigures("<!-- figure: gate.none -->1<!-- /figure -->", records)).toThrow("gate.none");
});
