// npm run -s proof <name> [--short] [-- options]: runs one proof; its last line is JSON. `--record` keeps the result in proofs/results.
// npm run -s proof -- --names [--long]: lists the names for CI; `--long` adds the long forms of property tests.
// It exits with 0 if everything is shown, with 3 if only wall-clock times fell short, and otherwise with 1.
// Proofs without a server, CLI or socket are property tests with a long form instead, and run with the same command.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof } from "./proof.ts";
import { codeHash, proofFiles, standingOf } from "../test/support/results/proofs.ts";
import {
  type ProofRecord,
  commitNow,
  readRecords,
  recordOf,
  wantsRecord,
  withoutRecord,
  writeRecord,
} from "../test/support/results/record.ts";

const root = join(import.meta.dirname, "..");
const longTests = new Map([...proofFiles].filter(([, path]) => path.startsWith("src/")));
const names = [...proofFiles.keys()].filter((name) => !longTests.has(name));

const [name = "", ...rest] = process.argv.slice(2);
if (name === "--names") {
  console.log([...names, ...(rest.includes("--long") ? longTests.keys() : [])].join("\n"));
  process.exit(0);
}
const longTest = longTests.get(name);
if (longTest !== undefined) {
  const options = rest.filter((word) => word !== "--").join(" ");
  const { status } = spawnSync("npx", ["vitest", "run", longTest, "--disable-console-intercept"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, WHETSTONE_LONG: options === "" ? "1" : options },
  });
  process.exit(status ?? 1);
}
if (!names.includes(name)) {
  const records = readRecords();
  const line = (known: string, what: string) =>
    console.log(
      `${known.padEnd(14)} ${ageOf(records.get(known), proofFiles.get(known) ?? "").padEnd(24)} ${what}`,
    );
  for (const known of names) line(known, ((await import(`./${known}.ts`)) as Proof).claim);
  console.log("\nAnd the long forms of property tests:");
  for (const [known, path] of longTests) line(known, path);
  if (name !== "") console.error(`\nNo proof is called "${name}".`);
  process.exit(name === "" ? 0 : 2);
}

const short = rest.includes("--short");
const args = withoutRecord(rest.filter((word) => word !== "--short" && word !== "--"));
// no proof writes into the state of the person who runs it; children with a home of their own have their state there
const state = mkdtempSync(join(tmpdir(), "whetstone-state-"));
process.env["WHETSTONE_STATE"] = state;
process.once("exit", () => rmSync(state, { recursive: true, force: true }));
const proof = (await import(`./${name}.ts`)) as Proof;
console.log(`${name}: ${proof.claim}${short ? " (short form)" : ""}`);
const started = performance.now();
const source = wantsRecord(rest) ? { commit: commitNow(), code: codeHash(`proofs/${name}.ts`) } : {};
const lines: string[] = [];
const result = await proof.default({
  short,
  args,
  log: (line) => {
    lines.push(line);
    console.log(`  ${line}`);
  },
});
const { ok, onlyLate = false, figures } = result;
const seconds = Math.round((performance.now() - started) / 100) / 10;
console.log(ok ? `shown in ${seconds} s` : `NOT shown (${seconds} s)`);
if (wantsRecord(rest))
  console.log(
    writeRecord(recordOf({ ...result, ...source, proof: name, short, args, seconds, lines }), rest),
  );
console.log(JSON.stringify({ proof: name, ok, short, seconds, ...figures }));
process.exit(ok ? 0 : onlyLate ? 3 : 1);

/** The result of its last full form, and its age. */
function ageOf(record: ProofRecord | undefined, path: string): string {
  const standing = standingOf(record, path);
  if (record === undefined || standing === "to be measured") return "to be measured";
  const days = Math.floor((Date.now() - Date.parse(record.date)) / 86_400_000);
  return `${standing}, ${days === 0 ? "today" : days === 1 ? "1 day old" : `${days} days old`}`;
}
