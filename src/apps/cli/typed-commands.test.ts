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

test("installed, it is shown as it is", () => {
  expect(typedCommands({}, commands)("whetstone ui")).toBe("whetstone ui");
});
