// npm run results: makes proofs/RESULTS.md of the records, and puts their figures into README and docs.
// npm run results -- --log <file> --proof <name> [--commit <hash>] [--args="--noise .1"] [--record=<part>] adds a record from a log first.
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillFigures } from "./fill-figures.ts";
import { readLog, readRecords, recordOf, writeRecord } from "./record.ts";
import { resultsPage } from "./results-page.ts";

const root = join(import.meta.dirname, "../../..");
const { values } = parseArgs({
  options: {
    log: { type: "string" },
    proof: { type: "string" },
    commit: { type: "string" },
    args: { type: "string", default: "" },
    record: { type: "string" },
  },
});

if (values.log !== undefined && values.proof !== undefined) {
  const args = values.args.split(" ").filter((word) => word !== "");
  const record = recordOf(readLog(values.proof, readFileSync(values.log, "utf8"), args));
  const date = statSync(values.log).mtime.toISOString().slice(0, 10);
  // how busy the machine was then is not known
  const machine = record.machine?.replace(/, load .*$/, "") ?? null;
  const part = values.record === undefined ? [] : [`--record=${values.record}`];
  console.log(
    writeRecord({ ...record, date, machine, ...(values.commit && { commit: values.commit }) }, part),
  );
}

const records = readRecords();
writeFileSync(join(root, "proofs/RESULTS.md"), resultsPage(records));
for (const path of globSync(["README.md", "docs/*.md"], { cwd: root })) {
  const before = readFileSync(join(root, path), "utf8");
  const after = fillFigures(before, records);
  if (after !== before) writeFileSync(join(root, path), after);
}
console.log(`proofs/RESULTS.md: ${records.size} records`);
