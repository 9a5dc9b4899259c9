import { expect, test } from "vitest";
import { onPath, placesOnPath } from "./on-path.ts";

test("on Windows a program is looked for with each ending, folder by folder", () => {
  const env = { Path: "C:\\Program Files\\nodejs;tools;D:\\bin", PATHEXT: ".EXE;.CMD" };
  expect(placesOnPath("claude", env, "win32")).toEqual([
    "C:\\Program Files\\nodejs\\claude.EXE",
    "C:\\Program Files\\nodejs\\claude.CMD",
    "C:\\Program Files\\nodejs\\claude",
    "D:\\bin\\claude.EXE",
    "D:\\bin\\claude.CMD",
    "D:\\bin\\claude",
  ]);
  expect(placesOnPath("git", { PATH: "C:\\git" }, "win32")).toContain("C:\\git\\git.EXE");
});

test("elsewhere by its name alone, and never in a folder that is not a whole path", () => {
  const env = { PATH: "/usr/bin:.:bin::/opt/my tools", PATHEXT: ".EXE" };
  expect(placesOnPath("git", env, "darwin")).toEqual(["/usr/bin/git", "/opt/my tools/git"]);
  expect(onPath("no-such-program", process.env)).toBeUndefined();
});
