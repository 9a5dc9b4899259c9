// npm run -s proof <name> [--short] [-- options]: runs one proof, ends with one line of JSON. `--record` keeps its result in proofs/results.
// npm run -s proof -- --names [--long]: what there is for CI; with the long forms of property tests.
// It exits with 0 when all is shown, with 3 when only times on the clock fell short, else with 1.
// What needs no server, CLI or socket is a property test with a long form instead, and runs under the same command.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof } from "./proof.ts";
import { codeHash, proofFiles } from "../test/support/results/proofs.ts";
import {
  commitNow,
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
  for (const known of names) {
    const proof = (await import(`./${known}.ts`)) as Proof;
    console.log(`${known.padEnd(12)} ${proof.claim}`);
  }
  console.log("\nAnd the long forms of property tests:");
  for (const [known, path] of longTests) console.log(`${known.padEnd(12)} ${path}`);
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
