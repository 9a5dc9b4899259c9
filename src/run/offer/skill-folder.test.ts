import { chmod, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSkill } from "../../config/files/read-skill.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { applyPatch } from "../../core/skill/apply-edits.ts";
import { withFrontmatterField } from "../../core/skill/frontmatter.ts";
import { mainText, withMainText } from "../../core/skill/skill.ts";
import { adoptOffer } from "./adopt.ts";
import { diffOffer } from "./diff-proposal.ts";
import { undoOffer } from "./undo.ts";
import { skillFiles, writeArtifacts } from "../reports/artifacts.ts";
import { writeTarget } from "./live-target.ts";
import { lookedAt } from "../../../test/support/looked.ts";
import { proposalArtifacts } from "./proposal.ts";

const texts = {
  "SKILL.md":
    "---\nname: forms # the folder's name\n# why: see below\ndescription: >-\n  Fills forms.\n\nmetadata: { owner:   'me' }\n---\n# Forms\n\n- one\n",
  "references/codes.md": "# Codes\r\n\r\n- A is 1\r\n",
  "references/bom.txt": "\uFEFFno line end",
  "scripts/fill.py": "#!/usr/bin/env python3\nprint('x')\n",
  "assets/text.dat": "data:application/octet-stream;base64,not really",
};

async function skillFolder() {
  const path = await tempDir(texts);
  const png = Buffer.from(Array.from({ length: 1024 }, (_, at) => (at * 7) % 256));
  await writeFile(join(path, "assets/logo.png"), png);
  await chmod(join(path, "scripts/fill.py"), 0o755);
  await chmod(join(path, "references/codes.md"), 0o640);
  return path;
}

/** Bytes and mode of every file. */
async function look(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const seen: Record<string, string> = {};
  for (const file of files) {
    const { mode } = await stat(file);
    const bytes = (await readFile(file)).toString("base64");
    seen[file.slice(folder.length + 1)] = `${(mode & 0o777).toString(8)} ${bytes}`;
  }
  return seen;
}

/** What a finished run leaves behind, from the skill as it was read to an edited one. */
async function finish(path: string, edit: (skill: Awaited<ReturnType<typeof readSkill>>) => typeof skill) {
  const skill = await readSkill(path);
  const best = edit(skill);
  const place = await tempDir();
  const run = { run: "run1", folder: join(place, "run1"), journalDir: join(place, ".whetstone") };
  await writeTarget(run.run, { skillPath: path, journalDir: run.journalDir } as Resolved);
  const sealed = { verdict: "better", sentence: "+9 points." } as const;
  await writeArtifacts(run.folder, {
    ...skillFiles("skills/skill_v0000", skill),
    ...skillFiles("best_skill", best),
    ...proposalArtifacts({ run: run.run, original: skill, best, sealed, looked: lookedAt(best) }),
  });
  return run;
}

test("only the named file changes, from reading to adopting and back: bytes and modes", async () => {
  const path = await skillFolder();
  const before = await look(path);
  const run = await finish(path, (skill) => {
    const { skill: edited, reports } = applyPatch(skill, [
      {
        op: "insert_after",
        target: "- A is 1",
        content: "- B is 2",
        file: "references/codes.md",
        evidence: [],
      },
      { op: "append", content: "x", file: "assets/logo.png", evidence: [] },
      { op: "append", content: "x", file: "scripts/fill.py", evidence: [] },
    ]);
    expect(reports.map(({ file, status }) => [file, status])).toEqual([
      ["references/codes.md", "applied_insert_after"],
      ["assets/logo.png", "refused_binary"],
      ["scripts/fill.py", "refused_script"],
    ]);
    return edited;
  });

  const exported = await look(join(run.folder, "best_skill"));
  const bytes = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, seen]) => [name, seen.split(" ")[1]]));
  const changed = Buffer.from("# Codes\r\n\r\n- A is 1\r\n- B is 2\r\n").toString("base64");
  expect(bytes(exported)).toEqual({ ...bytes(before), "references/codes.md": changed });
  expect(bytes(await look(join(run.folder, "skills/skill_v0000")))).toEqual(bytes(before));
  const isExecutable = (seen = "") => (Number.parseInt(seen, 8) & 0o100) !== 0;
  expect(Object.keys(exported).filter((name) => isExecutable(exported[name]))).toEqual(["scripts/fill.py"]);

  const { diff, lines } = await diffOffer(run);
  expect(diff).toContain("--- a/references/codes.md\n+++ b/references/codes.md\n");
  expect(diff.match(/^---/gm)).toHaveLength(1);
  expect(lines.at(-1)).toBe(
    "Unchanged: SKILL.md, assets/logo.png, assets/text.dat, references/bom.txt, scripts/fill.py.",
  );

  expect((await adoptOffer(run)).kind).toBe("adopted");
  expect(await look(path)).toEqual({ ...before, "references/codes.md": `640 ${changed}` });
  await undoOffer(run);
  expect(await look(path)).toEqual(before);
});

test("a new description changes that field of SKILL.md and no other byte of the folder", async () => {
  const path = await skillFolder();
  const before = await look(path);
  const run = await finish(path, (skill) =>
    withMainText(skill, withFrontmatterField(mainText(skill), "description", "Fills any form: fast.")),
  );
  await adoptOffer(run);
  const written = texts["SKILL.md"].replace("Fills forms.", "Fills any form: fast.");
  expect(await look(path)).toEqual({
    ...before,
    "SKILL.md": `${before["SKILL.md"]?.split(" ")[0]} ${Buffer.from(written).toString("base64")}`,
  });
});

test("a kept file that changed since is noticed, bytes too", async () => {
  const path = await skillFolder();
  const run = await finish(path, (skill) => withMainText(skill, `${mainText(skill)}- two\n`));
  await writeFile(join(path, "assets/logo.png"), Buffer.from([1, 0, 2]));
  await expect(adoptOffer(run)).rejects.toThrow(/assets\/logo\.png changed since run run1 began/);
});
