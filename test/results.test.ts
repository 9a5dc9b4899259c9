import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fillFigures } from "./support/results/fill-figures.ts";
import { markPromises } from "./support/results/mark-promises.ts";
import { codeHash, filesOf, proofFiles } from "./support/results/proofs.ts";
import { type ProofRecord, readRecords } from "./support/results/record.ts";
import { resultsPage } from "./support/results/results-page.ts";

const root = join(import.meta.dirname, "..");
const records = readRecords();
const [anyRecord = expect.unreachable()] = records.values();

test("RESULTS.md is what `npm run results` makes of the records", () => {
  expect(readFileSync(join(root, "proofs/RESULTS.md"), "utf8")).toBe(resultsPage(records));
});

test("README and docs have the figures of the records", () => {
  const pages = globSync(["README.md", "docs/*.md"], { cwd: root });
  const marked = pages.filter((path) => {
    const text = readFileSync(join(root, path), "utf8");
    expect(text, `${path}: npm run results`).toBe(fillFigures(text, records));
    return text.includes("<!-- figure: ");
  });
  expect(marked).not.toEqual([]);
});

test("docs/promises.md says of each promise what its records are worth", () => {
  const page = readFileSync(join(root, "docs/promises.md"), "utf8");
  expect(page, "npm run results").toBe(markPromises(page, records));
  const row = "| it holds | `gate`, `kill` | to be measured |";
  const path = proofFiles.get("gate") ?? expect.unreachable();
  const gate = { ...anyRecord, form: "full", ok: true, code: codeHash(path) };
  const mark = (more: Partial<ProofRecord>) =>
    markPromises(row, new Map([["gate", { ...gate, ...more }]]))
      .split(" | ")
      .at(-1);
  expect(mark({})).toBe("shown: gate; to be measured: kill |");
  expect(mark({ code: "of other files" })).toBe("outdated: gate; to be measured: kill |");
  expect(mark({ ok: false })).toBe("failed: gate; to be measured: kill |");
  expect(mark({ form: "short" })).toBe("to be measured |");
});

test("a record is of a proof, and RESULTS.md shows it where it holds and lists the proof otherwise", () => {
  const page = readFileSync(join(root, "proofs/RESULTS.md"), "utf8");
  for (const [name, { proof, date, page: said, lines }] of records) {
    expect(proofFiles.has(proof), name).toBe(true);
    expect(date, name).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(said ?? lines, name).not.toEqual([]);
  }
  for (const name of proofFiles.keys()) {
    const isShown = records.get(name)?.ok === true;
    expect([name, page.includes(`\n## ${name}\n`)]).toEqual([name, isShown]);
    expect([name, page.includes(`\n- ${name}: `)]).toEqual([name, !isShown]);
  }
  const quoted = "<!-- figure: gate.share % -->?<!-- /figure -->";
  const quote = (ok: boolean) =>
    fillFigures(quoted, new Map([["gate", { ...anyRecord, ok, figures: { share: 0.25 } }]]));
  expect(quote(true)).toBe("<!-- figure: gate.share % -->25%<!-- /figure -->");
  expect(() => quote(false)).toThrow("does not hold");
  expect(() => fillFigures("<!-- figure: gate.none -->1<!-- /figure -->", records)).toThrow("gate.none");
});

test("the hash of a proof's code changes with any file that it imports or starts", () => {
  const hash = (name: string) => codeHash(proofFiles.get(name) ?? expect.unreachable());
  expect(hash("kill")).toMatch(/^[\da-f]{16}$/);
  expect(new Set([...proofFiles.keys()].map(hash)).size).toBe(proofFiles.size);
  // kill starts this worker, and the worker imports the loop
  expect(filesOf("proofs/kill.ts")).toEqual(
    expect.arrayContaining(["proofs/support/kill-injection-worker.ts", "src/core/loop/train.ts"]),
  );
});
