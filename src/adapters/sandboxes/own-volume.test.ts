import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { canHoldDisk, openVolume } from "./own-volume.ts";

const isHeld = await canHoldDisk();
const mounts = (): string => readFileSync("/proc/self/mounts", "utf8");

test("without a box that mounts it, it is a folder like others, and gone afterwards", async () => {
  const own = await openVolume("agent", { name: "none" }, 1);
  expect(own.volume).toBeUndefined();
  writeFileSync(join(own.room, "f"), "x");
  await own[Symbol.asyncDispose]();
  expect(existsSync(own.folder)).toBe(false);
});

test.runIf(isHeld)("a file system of its own ends where it must, in bytes and in files", async () => {
  const own = await openVolume("agent", { name: "bubblewrap" }, 8);
  expect(own.volume).toBe(own.room);
  const { blocks, bsize, files } = statfsSync(own.room);
  expect(blocks * bsize).toBeLessThanOrEqual(26 * 1024 * 1024);
  expect(files).toBeLessThan(8000);
  expect(() => writeFileSync(join(own.room, "f"), Buffer.alloc(30 * 1024 * 1024))).toThrow(/ENOSPC/);
  await own[Symbol.asyncDispose]();
  expect(existsSync(own.folder)).toBe(false);
  expect(mounts()).not.toContain(own.folder);
});

test.runIf(isHeld)("that of a process that was killed is unmounted by the next one", async () => {
  const temporary = await tempDir();
  vi.stubEnv("TMPDIR", temporary);
  const source = `import { openVolume } from ${JSON.stringify(join(import.meta.dirname, "own-volume.ts"))};
    console.log((await openVolume("agent", { name: "bubblewrap" }, 1)).volume);
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
  const dead = stdout.trim();
  expect(mounts()).toContain(dead);
  await makeOwnFolder("proxy");
  vi.unstubAllEnvs();
  expect(mounts()).not.toContain(dead);
  expect(existsSync(dirname(dead))).toBe(false);
});
