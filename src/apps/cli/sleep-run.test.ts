import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { capturedIo } from "../../../test/support/captured-io.ts";
import { createProgram } from "./program.ts";

test.each([
  ["is no JSON", '{ "sleep": { "trials": 3 }', /whetstone\.config\.json/],
  ["holds a word that nobody knows", '{ "sleep": { "trails": 3 } }', /trails/],
  ["holds a value that cannot be", '{ "sleep": { "gate": "maybe" } }', /gate.*"on" or "off"/],
  ["names a model in no form", '{ "optimizer": "mock" }', /optimizer.*provider\/model/],
])(
  "fault 29: a config that %s ends the night at once, and no default takes its place",
  async (_, text, words) => {
    const dir = await tempDir({ "whetstone.config.json": text });
    const { io } = capturedIo(dir);
    const program = createProgram(io, "0.0.0");
    await expect(program.parseAsync(["node", "whetstone", "sleep", "run"])).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(words),
    });
    expect(existsSync(join(dir, ".whetstone"))).toBe(false);
  },
);

test("fault 29: a project that nobody opted in is not read", async () => {
  const dir = await tempDir();
  const { io } = capturedIo(dir);
  const program = createProgram(io, "0.0.0");
  await expect(program.parseAsync(["node", "whetstone", "sleep", "run"])).rejects.toMatchObject({
    code: "not-opted-in",
    hint: expect.stringContaining("whetstone sleep init"),
  });
});
