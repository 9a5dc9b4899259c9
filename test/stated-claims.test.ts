import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shareOfBetter } from "../docs/.vitepress/pages/verdicts-page.ts";
import { firstBar as barOf, leftAfter, payOf } from "../src/core/gate/claim/account.ts";
import { gridSteps } from "../src/core/gate/claim/claim-pair.ts";
import { levelText, shownLevel } from "../src/core/shown-level.ts";
import { verdictWords } from "../src/core/verdict-words.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll(/\s+/g, " ");
const verdicts = read("docs/verdicts.md");
const firstBar = barOf(0.05);
const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

/** What was said of the program and isn't so. */
const untrue = [
  /keeps? only what it can prove/i,
  /keep what is proven/i,
  /every rule earns its place/i,
  /rules that show nothing\b.* are given up/i,
  /claims at 5 ?%/i,
  /at a bar of 5 ?%/i,
  /whatever the target, the number of tasks/i,
  /% likely to help/i,
];

test("no page, manifest or string says what was found to be untrue", () => {
  const paths = globSync(
    [
      "*.{md,json}",
      ".{claude,cursor}-plugin/*.json",
      "docs/**/*.{md,ts,txt,svg}",
      "plugins/**/*.{md,json,toml}",
      "plugins/**/.*/*.json",
      "proofs/RESULTS.md",
      "{src,ui/src}/**/*.{ts,tsx}",
    ],
    { cwd: root, exclude: ["**/node_modules/**", "package-lock.json", "docs/.vitepress/{cache,dist}/**"] },
  );
  for (const path of ["README.md", "package.json", ".claude-plugin/marketplace.json", "docs/index.md"])
    expect(paths).toContain(path);
  const found = paths.flatMap((path) => {
    const text = read(path);
    return untrue.filter((claim) => claim.test(text)).map((claim) => `${path}: ${claim.source}`);
  });
  expect(found).toEqual([]);
});

test("the page about verdicts is computed: the threshold of each question, the one level, and all words", () => {
  expect(firstBar).toBeCloseTo(0.027, 12);
  expect(verdicts).toContain(`A first question on a file of tasks claims at ${percent(firstBar, 1)}.`);
  expect(verdicts).toContain(`Every interval in Whetstone is a ${levelText} interval`);
  const paid: number[] = [];
  for (let at = 0; at < 22; at += 1) paid.push(payOf(leftAfter(paid)));
  for (const [name, at, digits] of [
    ["2nd to 11th", 1, 2],
    ["2nd to 11th", 10, 2],
    ["12th to 21st", 11, 2],
    ["22nd to 31st", 21, 3],
  ] as const)
    expect(verdicts).toContain(
      `| ${name} | ${percent(barOf(0.05, paid[at]), digits)} | ${percent(firstBar, 1)} |`,
    );
  expect(read("docs/evidence.md")).toContain(`where a first question allows ${percent(firstBar, 1)}`);
  for (const { word } of Object.values(verdictWords)) expect(verdicts).toContain(`| **${word}** |`);
});

test("the page about verdicts has how often graded scores that fall on a few tasks are called better", () => {
  const [at12 = "", at20, at30, at100] = [12, 20, 30, 100].map((tasks) => percent(shareOfBetter(tasks)));
  expect(verdicts).toContain(
    `in ${at12} of cases with 12 test tasks, ${at20} with 20, ${at30} with 30 and ${at100} with 100`,
  );
});

test("the page about verdicts says what exactness assumes", () => {
  for (const said of [
    "as likely to rise by some amount as to fall by it",
    "Tasks are drawn alike",
    "what they spend is added up",
  ])
    expect(verdicts).toMatch(new RegExp(said));
  expect(verdicts).toContain(`rounded** to steps of 1/${gridSteps}`);
});

test("no text names a level of an interval but the one", () => {
  const paths = globSync(["{src,ui/src}/**/*.{ts,tsx}", "docs/*.md", "README.md"], {
    cwd: root,
    exclude: ["**/*.test.ts", "**/*.long.test.ts", "src/core/rules/**"],
  });
  const found = paths.flatMap((path) =>
    [...read(path).matchAll(/(\d+(?:\.\d+)?) ?% (?:confidence )?intervals?\b/g)].flatMap(([text, level]) =>
      Number(level) === 100 * shownLevel ? [] : [`${path}: ${text}`],
    ),
  );
  expect(found).toEqual([]);
});
