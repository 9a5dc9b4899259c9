import { expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { forgetCommand } from "./forget-command.ts";

test("a path is a project, and never words to look for in all projects", async () => {
  const { io } = capturedIo(await tempDir({ "skills/a.md": "" }));
  for (const what of [".", "../copy", "skills", "~/gone", "/nowhere/at/all"])
    await expect(forgetCommand({ what, yes: true, json: false }, io), what).rejects.toThrow(
      "Nothing is kept for a project in",
    );
  await expect(forgetCommand({ what: "jane doe", yes: false, json: false }, io)).rejects.toThrow(
    'contains "jane doe", in all projects',
  );
});
