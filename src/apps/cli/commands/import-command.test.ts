import { readFileSync } from "node:fs";
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
Say b,similar: b
`;

test("the verdict comes first, then what was understood and what was not", async () => {
  const { text, error } = await run({ "t.csv": tests }, "t.csv");
  expect(error).toMatchObject({ code: "tasks-invalid", message: "Not usable: test-2." });
  expect(text).toBe(`1 task understood, 1 not
  promptfoo: t.csv

Understood
  1 × contains → contains

Not understood: these can't be scored
  test-2  similar
  \`train\` refuses them by name; --skip-invalid leaves them out.`);
});

test("our own rows are written, with what was not understood, and never over a file", async () => {
  const { cwd, text } = await run({ "t.csv": tests }, "t.csv", "--out", "o.jsonl");
  expect(text).toMatch(/Written: o\.jsonl$/);
  const rows = readFileSync(join(cwd, "o.jsonl"), "utf8").trim().split("\n");
  expect(rows.map((row) => JSON.parse(row) as unknown)).toMatchObject([
    { id: "test-1", checks: [{ kind: "contains", value: "a" }] },
    { id: "test-2", checks: [{ kind: "unsupported", value: "similar" }] },
  ]);
  const again = await run({ "t.csv": tests, "o.jsonl": "mine" }, "t.csv", "--out", "o.jsonl");
  expect(again.error).toMatchObject({ code: "usage", message: expect.stringContaining("already exists") });
  expect(readFileSync(join(again.cwd, "o.jsonl"), "utf8")).toBe("mine");
});

test("nothing understood is an error", async () => {
  const { error, text } = await run({ "t.csv": "question,__expected\nSay b,similar: 1\n" }, "t.csv");
  expect(error).toMatchObject({
    code: "tasks-invalid",
    message: "None of the tasks can be scored.",
    hint: "Fix the problems listed above, or leave out asserts by type: --drop <assert>.",
  });
  expect(text).not.toContain("--skip-invalid");
});

test("what is dropped by name is named, kept with its tasks, and no longer costs one", async () => {
  const files = { "t.csv": tests };
  const { cwd, text, error } = await run(files, "t.csv", "--drop", "similar", "--out", "o.jsonl");
  expect(error).toMatchObject({ message: "Not usable: test-2." });
  expect(text).toMatch(/Ignored: .*\n {2}test-2 {2}similar, dropped/);
  const mixed = "question,__expected1,__expected2\nSay b,contains: b,similar: b\n";
  const fine = await run(
    { "t.csv": mixed },
    "t.csv",
    "--drop",
    "similar",
    "--drop",
    "latncy",
    "--out",
    "o.jsonl",
  );
  expect(fine.error).toBeUndefined();
  expect(fine.text).toMatch(/test-1 {2}similar, dropped/);
  expect(fine.text).toMatch(/--drop {2}latncy: no assert has this type/);
  expect(JSON.parse(readFileSync(join(fine.cwd, "o.jsonl"), "utf8"))).toMatchObject({
    checks: [{ kind: "contains", value: "b" }],
    metadata: { leftAside: ["similar"] },
  });
  expect(readFileSync(join(cwd, "o.jsonl"), "utf8")).toContain("unsupported");
});

test("a place of the suite that cannot be read is lost, too", async () => {
  const config =
    'prompts: ["{{q}}"]\ntests:\n  - { vars: { q: a }, assert: [{ type: equals, value: a }] }\n  - file://gone.csv\n';
  const { error } = await run({ "p.yaml": config }, "p.yaml");
  expect(error).toMatchObject({ code: "tasks-invalid", message: "Not usable: tests[1]." });
});
