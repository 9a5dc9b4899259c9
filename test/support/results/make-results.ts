// npm run results: makes proofs/RESULTS.md of the records, and puts their figures into README and docs, and their standing into docs/promises.md.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillFigures } from "./fill-figures.ts";
import { markPromises } from "./mark-promises.ts";
import { readRecords } from "./record.ts";
import { resultsPage } from "./results-page.ts";

const root = join(import.meta.dirname, "../../..");
const records = readRecords();
writeFileSync(join(root, "proofs/RESULTS.md"), resultsPage(records));
for (const path of globSync(["README.md", "docs/*.md"], { cwd: root })) {
  const before = readFileSync(join(root, path), "utf8");
  const filled = fillFigures(before, records);
  const after = path === "docs/promises.md" ? markPromises(filled, records) : filled;
  if (after !== before) writeFileSync(join(root, path), after);
}
console.log(`proofs/RESULTS.md: ${records.size} records`);
