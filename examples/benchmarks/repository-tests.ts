// A repository's own tests: each task begins at a commit, an agent mends the code, and `node --test` decides.
// The repository is made here; in yours, name a commit and the tests that failed before it was mended.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { learn, toyAgent, toyOptimizer } from "./toy-models.ts";

const repository = mkdtempSync(join(tmpdir(), "repository-"));
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
    cwd: repository,
    encoding: "utf8",
  }).trim();

git("init", "-q");
mkdirSync(join(repository, "src"));

/** One commit for each function that is not written yet. */
const rows = Array.from({ length: 32 }, (_, at) => {
  const rate = 0.05 + (at % 7) / 100;
  const price = 1.1 + at * 3.37;
  const expected = Math.round(price * 100 * rate) / 100;
  const code = `export const tax${at} = (price, rate) => TODO;\n`;
  const test = `import { strictEqual } from "node:assert";
import { test } from "node:test";
import { tax${at} } from "./src/tax${at}.js";
test("tax ${at}", () => strictEqual(tax${at}(${price}, ${rate}), ${expected}));
`;
  writeFileSync(join(repository, "src", `tax${at}.js`), code);
  writeFileSync(join(repository, "package.json"), '{ "type": "module" }\n');
  git("add", "-A");
  git("commit", "-q", "-m", `tax ${at} is to be done`);
  const commit = git("rev-parse", "HEAD");
  rmSync(join(repository, "src", `tax${at}.js`));
  return {
    id: `tax-${at}`,
    input: `Write the function in src/tax${at}.js: the tax on a price.`,
    checkout: commit,
    // the tests come with the grader: the agent has not seen them
    checks: [
      {
        kind: "command",
        value: {
          run: 'cp "$GRADER/hidden.test.js" . && node --test hidden.test.js',
          files: { "hidden.test.js": test },
        },
      },
    ],
  };
});

await learn({
  cwd: repository,
  skill: {
    main: "SKILL.md",
    files: {
      "SKILL.md":
        "---\nname: house-code\ndescription: Use when changing code of this repository.\n---\n\n# House code\n\n- Change only the file that was named.\n",
    },
  },
  tasks: { train: rows.slice(0, 8), val: rows.slice(8, 24), test: rows.slice(24) },
  ...toyAgent,
  optimizer: toyOptimizer(["Money is rounded to whole cents, once, at the end."]),
});
