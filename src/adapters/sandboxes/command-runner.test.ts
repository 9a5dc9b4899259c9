import { readdirSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { commandRunner } from "./command-runner.ts";

const run = commandRunner(bubblewrapSandbox());
const never = new AbortController().signal;

test("a grader sees the workspace and its own files, and changes neither for anybody", async () => {
  const temporary = await tempDir();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const request = {
    argv: ["sh", "$GRADER/check.sh", "7"],
    files: { "answer.txt": "42" },
    grader: {
      "check.sh": 'cat answer.txt; cat "$GRADER/key.txt"; echo x > "$GRADER/key.txt"; exit $1',
      "key.txt": "43",
    },
    seconds: 10,
  };
  const first = await run(request, never);
  expect(first).toMatchObject({ exitCode: 7, ended: "exit", stdout: "4243" });
  expect(first.stderr).toContain("Read-only file system");
  expect((await run(request, never)).stdout).toBe("4243");
  expect(readdirSync(temporary)).toEqual([]);
});

test("grader files are executable, and a limit is told", async () => {
  const grader = { "check.sh": "#!/bin/sh\nsleep 30\n" };
  const slow = await run({ argv: ["$GRADER/check.sh"], files: {}, grader, seconds: 0.3 }, never);
  expect(slow).toMatchObject({ exitCode: null, ended: "time" });
});

test("a stop is thrown, and a path that leads out is refused", async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("stop")), 50);
  await expect(run({ argv: ["sleep", "30"], files: {}, seconds: 30 }, stop.signal)).rejects.toThrow("stop");
  const outside = run({ argv: ["true"], files: { "../x": "" }, seconds: 1 }, never);
  await expect(outside).rejects.toMatchObject({ code: "tasks-invalid" });
});
