import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "../../src/index.ts";
import { singleFileSkill } from "../../src/method.ts";
import type { Skill } from "../../src/ports.ts";
import { makeRepository } from "../../test/support/repository.ts";

/** Stand in the places that an agent must never see: a later commit, the dirty folder, the grader. */
export const marks = {
  later: "MARK-7731-LATER",
  dirty: "MARK-7731-DIRTY",
  grader: "MARK-7731-GRADER",
} as const;

/** What the agent is to learn; who has not read it cannot guess it. */
export const rule =
  "Prices are written the house way: a comma, two digits, a space and the sign of money-kit.";

const source = (body: string) =>
  `import { sign } from "money-kit";\n\nexport const price = (cents) => ${body};\n`;

/** What the model writes, with the rule and without it. */
export const right = source('`${Math.floor(cents / 100)},${String(cents % 100).padStart(2, "0")} ${sign}`');
export const wrong = source("(cents / 100).toFixed(2) + sign");

const testFile = `import assert from "node:assert/strict";
import { test } from "node:test";
import { price } from "../src/money.js";

test("a price", () => assert.equal(price(1950), "19,50 CR"));
`;

export interface Project {
  readonly repo: string;
  /** Where the test fails. */
  readonly commit: string;
  readonly tasks: readonly Task[];
}

/** A project with a failing test at its first commit, mended by its second, and a folder full of unfinished work. */
export function makeProject(folder: string): Project {
  const repo = join(folder, "project");
  mkdirSync(repo);
  const [commit = ""] = makeRepository(repo, [
    {
      "package.json": '{ "type": "module", "dependencies": { "money-kit": "1" } }\n',
      ".gitignore": "node_modules\n",
      "CLAUDE.md": "Be brief.\n",
      "src/money.js": source("String(cents)"),
      "test/money.test.js": testFile,
    },
    { "src/money.js": `// ${marks.later}\n${right}`, "CLAUDE.md": `Be brief.\n\n${rule}\n` },
  ]);
  const kit = join(repo, "node_modules/money-kit");
  mkdirSync(kit, { recursive: true });
  writeFileSync(
    join(kit, "package.json"),
    '{ "name": "money-kit", "type": "module", "exports": "./index.js" }\n',
  );
  writeFileSync(join(kit, "index.js"), 'export const sign = "CR";\n');
  writeFileSync(join(repo, "src/money.js"), `// ${marks.dirty}\n`);
  writeFileSync(join(repo, "notes.txt"), `${marks.dirty}\n`);
  const hidden = `// ${marks.grader}
import { price } from "file:///home/dev/project/src/money.js";
if (price(5) !== "0,05 CR" || price(123456) !== "1234,56 CR") process.exit(1);
`;
  const check = {
    kind: "command",
    value: { run: "node --test && node $GRADER/hidden.mjs", files: { "hidden.mjs": hidden } },
  };
  const tasks = ["first", "second"].map((id) => ({
    id,
    input: `${request} (${id})`,
    checkout: commit,
    checks: [check],
  }));
  return { repo, commit, tasks };
}

/** How a request of these tasks is known among others. */
export const request = "Make the price right in src/money.js.";

export const skillName = "money";

/** The document that a night learns for, with the rule in its learned block or not yet. */
export function documentOf(kind: "skill" | "memory", hasRule: boolean): Skill {
  const block = hasRule
    ? `\n<!-- whetstone:learned:start -->\n- ${rule}\n<!-- whetstone:learned:end -->\n`
    : "";
  return kind === "memory"
    ? singleFileSkill(`Be brief.\n${block}`, "CLAUDE.md")
    : singleFileSkill(
        `---\nname: ${skillName}\ndescription: Use when working on prices.\n---\n\n# Money\n${block}`,
      );
}
