// npm run records [-- --hours 2.5] [--only name]: every proof and long form in full, one after the other, each with a record in proofs/results.
// What has a record of the code as it is now is skipped, so the same command goes on where it stopped.
import { spawn, spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { proofFiles, standingOf } from "./proofs.ts";
import { readRecords } from "./record.ts";

const { values } = parseArgs({
  options: { hours: { type: "string", default: "2.5" }, only: { type: "string" } },
});
const end = Date.now() + 3_600_000 * Number(values.hours);
const records = readRecords();
const secondsOf = (name: string): number => records.get(name)?.seconds ?? 0;
// the longest of those that were run before come last, so that a stop leaves the most shown
const due = [...proofFiles]
  .filter(([name]) => values.only === undefined || name === values.only)
  .filter(([name, path]) => standingOf(records.get(name), path) !== "shown")
  .map(([name]) => name)
  .toSorted((one, other) => secondsOf(one) - secondsOf(other));
console.log(`${due.length} of ${proofFiles.size} have no record of the code as it is now`);

const [failed, stopped]: [string[], string[]] = [[], []];
let done = 0;
for (const name of due) {
  if (Date.now() >= end) break;
  done += 1;
  console.log(`\n== ${name} (${done} of ${due.length})`);
  if (!(await prove(name))) (Date.now() >= end ? stopped : failed).push(name);
}
spawnSync("npm", ["run", "-s", "results"], { stdio: "inherit" });
console.log(
  `${done - stopped.length} run, ${due.length - done + stopped.length} left; failed: ${failed.join(", ") || "none"}`,
);
process.exit(failed.length === 0 ? 0 : 1);

/** Whether it was shown. At the end of the time it is stopped, with all that it has started. */
function prove(name: string): Promise<boolean> {
  const child = spawn("npm", ["run", "-s", "proof", name, "--", "--record"], {
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, "SIGTERM"), end - Date.now());
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}
