import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashFolder } from "../../../test/support/repository.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { installPlugin, uninstallPlugin } from "./plugins.ts";

/** OpenCode's program is looked for and never started; the proof `plugins` has the real ones. */
async function person(files: Readonly<Record<string, string>> = {}) {
  const home = await tempDir({ "bin/opencode": "#!/bin/sh\nexit 1\n", ...files });
  for (const name of readdirSync(join(home, "bin"))) await chmod(join(home, "bin", name), 0o755);
  return { home, env: { PATH: join(home, "bin") } };
}

const config = ".config/opencode";
const filesOf = (home: string): readonly string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .toSorted();

test("OpenCode gets skill, commands and rules, and loses them again; what was there stays", async () => {
  const here = await person({ [`${config}/commands/mine.md`]: "Mine." });
  const before = filesOf(here.home);
  const { wrote, ran } = await installPlugin("opencode", here);
  const after = filesOf(here.home);
  expect(after).toEqual(
    expect.arrayContaining([
      `${config}/skills/whetstone/SKILL.md`,
      `${config}/commands/whetstone-status.md`,
      `${config}/plugins/whetstone.js`,
    ]),
  );
  expect(ran).toEqual([]);
  // a folder that is new stands for all that is in it
  expect(wrote).toContainEqual({ kind: "new", path: join(here.home, config, "skills"), files: 5 });
  expect(wrote).toContainEqual({
    kind: "new",
    path: join(here.home, config, "commands/whetstone-status.md"),
  });
  await uninstallPlugin("opencode", here);
  expect(filesOf(here.home)).toEqual(before);
});

test("what cannot be done is refused by its name, and nothing is written", async () => {
  const here = await person();
  await expect(uninstallPlugin("opencode", here)).rejects.toMatchObject({ code: "not-installed" });
  await expect(installPlugin("pi", here)).rejects.toMatchObject({ code: "agent-missing" });
  await installPlugin("opencode", here);
  await expect(installPlugin("opencode", here)).rejects.toMatchObject({ code: "already-installed" });

  const other = await person({ [`${config}/skills/whetstone/SKILL.md`]: "Somebody's own." });
  const before = filesOf(other.home);
  await expect(installPlugin("opencode", other)).rejects.toMatchObject({ code: "already-installed" });
  expect(filesOf(other.home)).toEqual(before);
});

test("a file that the person changed is left to them; another version is replaced", async () => {
  const here = await person();
  await installPlugin("opencode", here);
  const record = join(here.home, config, "whetstone/installed.json");
  writeFileSync(record, readFileSync(record, "utf8").replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
  expect(await installPlugin("opencode", here)).toMatchObject({ replaced: "0.0.1" });
  const command = `${config}/commands/whetstone-status.md`;
  writeFileSync(join(here.home, command), "My own words.");
  writeFileSync(record, readFileSync(record, "utf8").replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
  const before = hashFolder(here.home);
  await expect(installPlugin("opencode", here)).rejects.toMatchObject({
    code: "already-installed",
    message: `You changed ${join(here.home, command)}, and an install would replace it.`,
  });
  expect(hashFolder(here.home)).toBe(before);
  await uninstallPlugin("opencode", here);
  expect(filesOf(here.home)).toEqual([command, "bin/opencode"]);
});

test("an install that fails takes its marketplace away again, and says what failed", async () => {
  const claude = [
    "#!/bin/sh",
    'echo "$*" >> "$HOME/ran"',
    'case "$*" in',
    '  "plugin list --json") echo "[]" ;;',
    '  "plugin marketplace add "*) touch "$HOME/marketplace" ;;',
    '  "plugin marketplace remove whetstone") rm "$HOME/marketplace" ;;',
    '  *) echo "no such plugin" >&2; exit 1 ;;',
    "esac",
    "",
  ].join("\n");
  const { home } = await person({ "bin/claude": claude });
  const env = { PATH: `${join(home, "bin")}:/usr/bin:/bin`, HOME: home };
  await expect(installPlugin("claude-code", { home, env })).rejects.toMatchObject({
    message: expect.stringContaining("`claude plugin install whetstone@whetstone` failed: no such plugin"),
  });
  expect(filesOf(home)).toEqual(["bin/claude", "bin/opencode", "ran"]);
  expect(readFileSync(join(home, "ran"), "utf8").trim().split("\n").slice(-3)).toEqual([
    "plugin install whetstone@whetstone",
    "plugin uninstall whetstone@whetstone",
    "plugin marketplace remove whetstone",
  ]);
});
