import { expect, test } from "vitest";
import { encodeFile } from "../files.ts";
import { isEditable, surfaceOf } from "./surface.ts";

const png = encodeFile(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]));
const skill = {
  main: "SKILL.md",
  files: {
    "SKILL.md": "a",
    "references/codes.md": "b",
    "LICENSE.txt": "c",
    "scripts/run.py": "d",
    "scripts/notes.md": "e",
    "config.json": "f",
    "assets/page.html": "g",
    "assets/letter.md": "h",
    "assets/logo.png": png,
    "references/scan.md": png,
  },
  executable: ["SKILL.md", "references/codes.md"],
};

test("every file has one surface", () => {
  expect(Object.fromEntries(Object.keys(skill.files).map((path) => [path, surfaceOf(path, skill)]))).toEqual({
    "SKILL.md": "body",
    "references/codes.md": "reference",
    "LICENSE.txt": "reference",
    "scripts/run.py": "script",
    "scripts/notes.md": "script",
    "config.json": "script",
    "assets/page.html": "asset",
    "assets/letter.md": "reference",
    "assets/logo.png": "asset",
    "references/scan.md": "asset",
  });
});

test("prose may be edited, other text by leave, bytes never", () => {
  const editable = (allowScripts: boolean) =>
    Object.keys(skill.files).filter((path) => isEditable(path, skill, allowScripts));
  expect(editable(false)).toEqual(["SKILL.md", "references/codes.md", "LICENSE.txt", "assets/letter.md"]);
  expect(editable(true)).toEqual(Object.keys(skill.files).slice(0, 8));
});
