import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { encodeFile } from "../../core/files.ts";
import { readChanges } from "./workspace-changes.ts";
import { writeFiles } from "./workspace-files.ts";

test("files are written as they are, executable where it is said", async () => {
  const folder = await tempDir();
  const binary = encodeFile(Uint8Array.of(0, 255, 7));
  await writeFiles(folder, { "a/b.txt": "text", "run.sh": "#!/bin/sh", "x.bin": binary }, ["run.sh"]);
  expect(readFileSync(join(folder, "a/b.txt"), "utf8")).toBe("text");
  expect([...readFileSync(join(folder, "x.bin"))]).toEqual([0, 255, 7]);
  expect(statSync(join(folder, "run.sh")).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder, "x.bin")).mode & 0o777).toBe(0o644);
});

test.each(["../x", "a/../../x", "/etc/x", "", "a//b", "./a", "a\\..\\b", "C:/x", "a\0b", "a/"])(
  "the path %j is refused",
  async (path) => {
    await expect(writeFiles(await tempDir(), { [path]: "x" })).rejects.toMatchObject({
      code: "tasks-invalid",
    });
  },
);

test("nothing is written through a link", async () => {
  const [folder, other] = [await tempDir(), await tempDir({ "f.txt": "old" })];
  symlinkSync(other, join(folder, "link"));
  symlinkSync(join(other, "f.txt"), join(folder, "file"));
  await expect(writeFiles(folder, { "link/f.txt": "new" })).rejects.toMatchObject({ code: "tasks-invalid" });
  await expect(writeFiles(folder, { file: "new" })).rejects.toThrow();
  expect(readFileSync(join(other, "f.txt"), "utf8")).toBe("old");
});

test("changes are new, different and deleted files; tools' own folders are left out", async () => {
  const before = { "same.txt": "1", "edited.txt": "1", "gone.txt": "1", "linked.txt": "1" };
  const folder = await tempDir();
  await writeFiles(folder, before);
  writeFileSync(join(folder, "edited.txt"), "2");
  unlinkSync(join(folder, "gone.txt"));
  unlinkSync(join(folder, "linked.txt"));
  symlinkSync("/etc/hostname", join(folder, "linked.txt"));
  symlinkSync("/etc", join(folder, "etc"));
  for (const ignored of ["node_modules", ".git", "src/__pycache__"]) {
    mkdirSync(join(folder, ignored), { recursive: true });
    writeFileSync(join(folder, ignored, "f"), "x");
  }
  writeFileSync(join(folder, "src/new.bin"), Uint8Array.of(0));
  chmodSync(join(folder, "same.txt"), 0o777);
  expect(await readChanges(folder, before)).toEqual({
    changed: {
      "edited.txt": "2",
      "gone.txt": null,
      "linked.txt": null,
      "src/new.bin": encodeFile(Uint8Array.of(0)),
    },
    leftOut: [],
  });
});

test("what is too much is named, not read", async () => {
  const folder = await tempDir();
  writeFileSync(join(folder, "big"), "x".repeat(256 * 1024 + 1));
  for (let at = 0; at < 205; at += 1) writeFileSync(join(folder, `f${String(at).padStart(3, "0")}`), "x");
  const { changed, leftOut } = await readChanges(folder, {});
  expect(Object.keys(changed)).toHaveLength(200);
  expect(leftOut).toEqual(["big", "f200", "f201", "f202", "f203", "f204"]);
});

test("what was written and not touched has not changed, whatever it is", async () => {
  const name = fc.stringMatching(/^[a-zäß0-9 ._-]{1,12}$/).filter((text) => !/^\.+$|^ | $/.test(text));
  const content = fc.oneof(fc.string(), fc.uint8Array({ maxLength: 64 }).map(encodeFile));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.tuple(name, name).map((parts) => parts.join("/")),
        content,
        { maxKeys: 5 },
      ),
      async (files) => {
        const folder = await tempDir();
        await writeFiles(folder, files);
        expect(await readChanges(folder, files)).toEqual({ changed: {}, leftOut: [] });
      },
    ),
    { numRuns: 25 },
  );
});
