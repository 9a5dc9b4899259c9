import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimWord } from "../src/core/gate/claim/claim-verdict.ts";
import { earnAlpha } from "../src/core/gate/claim/spend-alpha.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll(/\s+/g, " ");
const verdicts = read("docs/verdicts.md");
const firstBar = earnAlpha(0.05, 1, []);
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

test("the page about verdicts has the bar of a first read, and the level of its interval", () => {
  expect(verdicts).toContain(`A first read of the test tasks claims at ${percent(firstBar, 1)}.`);
  expect(verdicts).toContain(`At a first read it is a ${percent(1 - 2 * firstBar, 1)} interval.`);
  expect(read("docs/evidence.md")).toContain(`where a first read allows ${percent(firstBar, 1)}`);
});

test("the page about verdicts has how often graded scores that fall on a few tasks are called better", () => {
  const [at12 = "", at20, at30, at100] = [12, 20, 30, 100].map((tasks) => percent(shareOfBetter(tasks)));
  expect(verdicts).toContain(
    `in ${at12} of cases with 12 test tasks, ${at20} with 20, ${at30} with 30 and ${at100} with 100`,
  );
});

/** Exact, over how many of the tasks are of those that lose: +5 points on 90% of all tasks, −45 on the others. */
function shareOfBetter(tasks: number): number {
  let [chance, sum] = [0.9 ** tasks, 0];
  for (let losing = 0; losing <= tasks; losing += 1) {
    const pairs = Array.from({ length: tasks }, (_, at) => ({
      incumbent: [0.5],
      candidate: [at < losing ? 0.05 : 0.55],
    }));
    if (claimWord(pairs, { alpha: firstBar }).word === "better") sum += chance;
    chance *= ((tasks - losing) / (losing + 1)) * (0.1 / 0.9);
  }
  return sum;
}
