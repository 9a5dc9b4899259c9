import { join } from "node:path";
import { expect, test } from "vitest";
import { typedCommands } from "./typed-commands.ts";

const commands = ["ui", "diff", "runs"];

test("by npx, a command is shown as it must be typed", () => {
  const typed = typedCommands({ npm_command: "exec" }, commands);
  expect(typed("next: whetstone diff a1, then `whetstone ui`")).toBe(
    "next: npx whetstone diff a1, then `npx whetstone ui`",
  );
  expect(typed("npx whetstone ui; ./whetstone ui; the whetstone package")).toBe(
    "npx whetstone ui; ./whetstone ui; the whetstone package",
  );
});

test("from the build of a clone, a command is shown with the path from here", () => {
  const cwd = join("/", "home", "me", "clone");
  const shown = (script: string, from = cwd) =>
    typedCommands({}, commands, { script, cwd: from })("`whetstone diff a1`");
  const built = join(cwd, "dist", "cli.js");
  expect(shown(built)).toBe(`\`node ${join("dist", "cli.js")} diff a1\``);
  expect(shown(built, join(cwd, "examples"))).toBe(`\`node ${join("..", "dist", "cli.js")} diff a1\``);
  // a package that is installed, and what npm links
  expect(shown(join(cwd, "node_modules", "whetstone", "dist", "cli.js"))).toBe("`whetstone diff a1`");
  expect(shown(join("/", "usr", "bin", "whetstone"))).toBe("`whetstone diff a1`");
});

test("installed, it is shown as it is", () => {
  expect(typedCommands({}, commands)("whetstone ui")).toBe("whetstone ui");
});
