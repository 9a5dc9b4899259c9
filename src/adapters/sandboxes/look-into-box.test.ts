import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { lookIntoBox } from "./look-into-box.ts";

test("before a box has its own /proc, the processes of the host are not taken for its own", async () => {
  // a process number of its own, and still the host's files
  const child = spawn("unshare", ["--user", "--pid", "--fork", "--kill-child", "sleep", "30"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let init = 0;
  for (let tries = 0; tries < 200 && init === 0; tries += 1) {
    await sleep(20);
    init = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim());
  }
  expect(init).toBeGreaterThan(0);
  expect(lookIntoBox(init, 1, 1)).toBeUndefined();
});
