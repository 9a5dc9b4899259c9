import { execSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { editorLine } from "./prompt.ts";

test("an editor with flags gets the file as one word, whatever the folder is called", async () => {
  const name = "it's $HOME `id` & more.md";
  const file = join(await tempDir({ [name]: "the rule" }), name);
  expect(execSync(editorLine("cat -u", file, "linux"), { encoding: "utf8" })).toBe("the rule");
  expect(editorLine("code --wait", "C:\\Users\\Jo Doe\\rule.md", "win32")).toBe(
    'code --wait "C:\\Users\\Jo Doe\\rule.md"',
  );
});
