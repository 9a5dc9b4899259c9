import { execFileSync, spawnSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { importModule } from "./import-module.ts";
import { withoutJiti } from "../../test/support/without-jiti.ts";

/** In a process of its own: the runner of tests loads modules in its own way. */
async function refusal(
  name: string,
  text: string,
  {
    others = {},
    flags = [],
  }: { readonly others?: Readonly<Record<string, string>>; readonly flags?: readonly string[] } = {},
): Promise<string> {
  const path = join(await tempDir({ ...others, [name]: text }), name);
  const program = `
    const { importModule } = await import(${JSON.stringify(new URL("import-module.ts", import.meta.url).href)});
    await importModule(${JSON.stringify(path)}).catch(({ message, hint }) => console.log(message + " " + hint));`;
  const { stdout } = spawnSync(process.execPath, [...flags, "--input-type=module", "-e", program], {
    encoding: "utf8",
    cwd: dirname(path),
  });
  return stdout.trim().replaceAll(`${dirname(path)}/`, "");
}

test("code that cannot be read or stops is told with its line", async () => {
  const forgotten = 'export default {\n  skill: "./SKILL.md"\n  tasks: "./tasks.jsonl",\n};\n';
  const way = "Correct it there, then run the command again.";
  for (const name of ["config.ts", "config.mjs"])
    expect(await refusal(name, forgotten)).toBe(
      `${name}, line 3, can't be loaded: Unexpected token, expected ",". ${way}`,
    );
  expect(await refusal("config.ts", 'const x: number = 1;\nthrow new Error("no vault");\n')).toBe(
    `config.ts, line 2, can't be loaded: no vault. ${way}`,
  );
  expect(await refusal("config.ts", 'import "./nope.ts";\nexport default {};\n')).toBe(
    `config.ts, line 1, can't be loaded: Cannot find module './nope.ts'. ${way}`,
  );
});

/** Of a package that has none of its optional packages, as npm installs it. */
const without = (name: string, text: string, others: Readonly<Record<string, string>> = {}) =>
  refusal(name, text, { others, flags: withoutJiti });

test("where jiti is not installed, what only it can run is told with both ways out", async () => {
  expect(await without("config.ts", "enum Passes { Few = 2 }\n")).toMatch(
    /^config\.ts, line 1, can't be loaded: TypeScript enum is not supported.*npm i jiti$/,
  );
  expect(await without("config.ts", 'import { defineConfig } from "whetstone";\n')).toMatch(
    /Leave out the import .* npm i -D whetstone$/,
  );
  expect(await without("config.ts", 'import "./other";\n')).toMatch(
    /^config\.ts can't be loaded: Cannot find module 'other'.*\(\.\/x\.ts\).*npm i jiti$/,
  );
  for (const name of ["config.ts", "config.mjs"])
    expect(await without(name, 'export default {\n  skill: "a"\n  tasks: "b",\n};\n')).toMatch(
      new RegExp(`^${name}, line 3, can't be loaded: .* Correct it there, then run the command again\\.$`),
    );
});

test("an ES module in a project of CommonJS is told with its cause, and the step that is told works", async () => {
  const [text, others] = ["// mine\nexport default {};\n", { "package.json": '{ "type": "commonjs" }' }];
  for (const [name, renamed] of [
    ["whetstone.config.ts", "whetstone.config.mts"],
    ["whetstone.config.js", "whetstone.config.mjs"],
  ] as const) {
    expect(await without(name, text, others)).toBe(
      `${name}, line 2, can't be loaded: it is an ES module, but package.json says "type": "commonjs". Rename it: mv ${name} ${renamed}`,
    );
    expect(await without(renamed, text, others)).toBe("");
  }
  const importing = 'import helper from "./helper.ts";\nexport default helper;\n';
  expect(await without("config.mts", importing, { ...others, "helper.ts": "export default {};\n" })).toMatch(
    /^helper\.ts, line 1, .*"commonjs"\. Rename it, and update imports .*: mv helper\.ts helper\.mts$/,
  );
  // what is wrong in any project is told as before
  expect(await without("config.ts", "const { = 1;\n", others)).toContain(
    "config.ts, line 1, can't be loaded",
  );
});

test("what Node would read without an end is refused before it does", async () => {
  const dir = await tempDir();
  const [pipe, huge] = [join(dir, "pipe.ts"), join(dir, "huge.ts")];
  execFileSync("mkfifo", [pipe]);
  writeFileSync(huge, "");
  truncateSync(huge, 30_000_000);
  for (const path of [pipe, "/dev/zero", huge, dir])
    await expect(importModule(path), path).rejects.toThrow("can't be loaded as code");
});
