import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { makeOwnFolder } from "./own-folder.ts";

test("folders of a process that was killed are removed by the next one, and no others", async () => {
  const [before, temporary] = [process.env["TMPDIR"], await tempDir()];
  process.env["TMPDIR"] = temporary;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const mine = await makeOwnFolder("agent");
  const source = `import { makeOwnFolder } from ${JSON.stringify(join(import.meta.dirname, "own-folder.ts"))};
    import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
    const folder = await makeOwnFolder("agent");
    mkdirSync(folder + "/closed");
    writeFileSync(folder + "/closed/file", "");
    chmodSync(folder + "/closed", 0);
    console.log(folder);
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});`;
  const { stdout, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: temporary },
  });
  expect(signal).toBe("SIGKILL");
  const dead = stdout.trim();
  expect(existsSync(dead)).toBe(true);
  // of another machine that shares the folder, whose processes cannot be asked for
  const foreign = join(
    temporary,
    basename(dead)
      .replace(/-[0-9a-f]{4}-/, "-xxxx-")
      .replace("xxxx", "0f0f"),
  );
  mkdirSync(foreign);
  writeFileSync(join(temporary, "whetstone-agent-notes"), "a user's own");

  await makeOwnFolder("proxy");
  expect(existsSync(dead)).toBe(false);
  for (const kept of [mine, foreign, join(temporary, "whetstone-agent-notes")])
    expect(existsSync(kept)).toBe(true);
});
