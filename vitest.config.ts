import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** For the folders of tests, which are small, many and soon deleted: waiting for a disk is a third of the time of such tests. */
const scratch = mkdtempSync(join(hasRoomInMemory() ? "/dev/shm" : tmpdir(), "whetstone-tests-"));
// PostgreSQL does not run as root, and must get to its own folder
chmodSync(scratch, 0o711);
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** Four gigabytes, and programs may be started from there. */
function hasRoomInMemory(): boolean {
  if (process.env["TMPDIR"] !== undefined || !existsSync("/dev/shm")) return false;
  const { bavail, bsize } = statfsSync("/dev/shm");
  const mount = / \/dev\/shm tmpfs (\S+)/.exec(readFileSync("/proc/mounts", "utf8"))?.[1] ?? "noexec";
  return bavail * bsize > 4 * 2 ** 30 && !mount.split(",").includes("noexec");
}

/** Pure modules, which leave nothing behind: their tests share a process. Everything else has one of its own. */
const pure = ["src/{core,report,show}/**/*.test.ts", "ui/**/*.test.ts"];

export default defineConfig({
  test: {
    // more than processors, since some tests wait for servers and locks
    maxWorkers: availableParallelism() + 1,
    setupFiles: ["test/support/person.ts"],
    // a busy machine is no fault: only what hangs runs into these
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // `npm run coverage`: of what runs in the tests' own processes; commands that they start aren't seen
    coverage: { include: ["src/**/*.ts"], exclude: ["**/*.test.ts"], reporter: ["text-summary", "lcov"] },
    env: {
      TMPDIR: scratch,
      // what commands remember of a folder is the person's own, and no test's
      XDG_STATE_HOME: join(scratch, "state"),
      // of the coordinators and workers that tests start
      WHETSTONE_FLEET_SECRET: "what coordinators and workers of tests know",
    },
    projects: [
      {
        extends: true,
        test: {
          name: "alone",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...pure, "**/node_modules/**"],
        },
      },
      { extends: true, test: { name: "long", include: ["src/{core,report,show}/**/*.long.test.ts"] } },
      {
        extends: true,
        test: {
          name: "together",
          include: pure,
          exclude: ["**/*.long.test.ts", "**/node_modules/**"],
          // starting a process and importing again what others import is half of the time of most tests
          isolate: false,
        },
      },
    ],
  },
});
