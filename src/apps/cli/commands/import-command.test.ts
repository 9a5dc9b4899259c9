import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { createProgram } from "../program.ts";
import { capturedIo } from "../../../../test/support/captured-io.ts";

async function run(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const cwd = await tempDir(files);
  const { io, text: printed } = capturedIo(cwd);
  const error: unknown = await createProgram(io, "0")
    .parseAsync(["node", "whetstone", "import", ...args])
    .then(
      () => undefined,
      (caught: unknown) => caught,
    );
  return { cwd, error, text: stripVTControlCharacters(printed()) };
}

const tests = `question,__expected
Say a,contains: a
Say b,python: len(output) < 2
`;

test("the verdict comes first, then what was understood and what was not", async () => {
  const { text, error } = await run({ "t.csv": tests }, "t.csv");
  expect(error).toBeUndefined();
  expect(text).toBe(`1 task understood, 1 not
  promptfoo: t.csv

Understood
  1 × contains → contains

Not understood: these cannot be scored
  test-2  python
  \`train\` refuses them by name; --skip-invalid leaves them out.`);
});

test("our own rows and evals.json are written, with what was not understood, and never over a file", async () => {
  const { cwd, text } = await run({ "t.csv": tests }, "t.csv", "--out", "o.jsonl", "--to", "evals.json");
  expect(text).toMatch(/Written: o\.jsonl, evals\.json$/);
  const rows = readFileSync(join(cwd, "o.jsonl"), "utf8").trim().split("\n");
  expect(rows.map((row) => JSON.parse(row) as unknown)).toMatchObject([
    { id: "test-1", checks: [{ kind: "contains", value: "a" }] },
    { id: "test-2", checks: [{ kind: "unsupported", value: "python" }] },
  ]);
  expect(JSON.parse(readFileSync(join(cwd, "evals.json"), "utf8"))).toMatchObject({
    evals: [{ prompt: "Say a" }, { prompt: "Say b" }],
  });
  const again = await run(
    { "t.csv": tests, "o.jsonl": "mine" },
    "t.csv",
    "--out",
    "o.jsonl",
    "--to",
    "e.json",
  );
  expect(again.error).toMatchObject({ code: "usage", message: expect.stringContaining("is there already") });
  expect(readFileSync(join(again.cwd, "o.jsonl"), "utf8")).toBe("mine");
  expect(existsSync(join(again.cwd, "e.json"))).toBe(false);
});

test("nothing understood is an error", async () => {
  const { error } = await run({ "t.csv": "question,__expected\nSay b,python: 1\n" }, "t.csv");
  expect(error).toMatchObject({ code: "tasks-invalid" });
});
