import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { spawnWhetstone } from "../../../test/support/type-whetstone.ts";
import { withoutJiti } from "../../../test/support/without-jiti.ts";
import { sharedFolder } from "../../config/state-folder.ts";

const rows = Array.from({ length: 12 }, (_, at) => ({ id: at, question: `q${at}?`, answers: [`a${at}`] }));
const work = {
  "SKILL.md": "---\nname: mine\ndescription: Answers questions. Use it for each.\n---\n# Mine\n\nAnswer.\n",
  "tasks.jsonl": rows.map((row) => JSON.stringify(row)).join("\n"),
};
// as `npm init -y` writes it
const commonJs = { "package.json": '{ "name": "mine", "type": "commonjs" }' };

async function openProject(files: Readonly<Record<string, string>>) {
  const dir = await tempDir({ ...work, ...files });
  const home = await tempDir({});
  const type = async (...args: readonly string[]) => {
    const { out, err } = await spawnWhetstone(dir, args, { env: { HOME: home }, node: withoutJiti });
    return out + err;
  };
  return { dir, type };
}

test.each<[string, Readonly<Record<string, string>>]>([
  ["without a package.json", {}],
  ["of CommonJS", commonJs],
  ["of ES modules", { "package.json": '{ "name": "mine", "type": "module" }' }],
])("in a project %s, every kind of command reads the config that init writes", async (_, files) => {
  const { dir, type } = await openProject(files);
  const written = await type("init", "--target", "ollama/one", "--optimizer", "ollama/two");
  expect(written).toMatch(/^Wrote whetstone\.config\.\w+\./);
  // works
  const looked = await type("doctor", "--no-call");
  expect(looked).toContain("ollama/one");
  expect(looked).not.toMatch(/config-invalid|Warning/);
  expect(await type("plan", "--no-eval-test")).toMatch(/ollama\/two[^]*calls/);
  // is allowed, and read unattended
  expect(await type("trust", "--yes")).toContain("localhost:11434");
  expect(await type("doctor", "--no-call", "--unattended")).toContain("ollama/one");
  // only looks: the config is code, which it does not run
  expect(await type("runs")).toContain(sharedFolder(dir));
  expect(await type("init")).toContain("A config already exists");
});

test("a config that Node reads as CommonJS is told with its cause, and the step works", async () => {
  const { dir, type } = await openProject({
    ...commonJs,
    "whetstone.config.ts": 'export default { target: "ollama/one", optimizer: "ollama/two" };\n',
  });
  const [from, to] = ["ts", "mts"].map((end) => join(dir, `whetstone.config.${end}`));
  const refused = await type("doctor", "--no-call");
  expect(refused).toContain('says "type": "commonjs"');
  expect(refused).toContain(`Rename it: mv ${from} ${to}`);
  expect(refused).not.toContain("Warning");
  renameSync(from ?? "", to ?? "");
  expect(await type("doctor", "--no-call")).toContain("ollama/one");
});
