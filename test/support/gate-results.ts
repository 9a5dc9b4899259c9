import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobResult } from "./gate/gate-jobs.ts";
import type { Table } from "./gate-tables.ts";

const path = join(import.meta.dirname, "../../proofs/RESULTS.md");

/** Puts a proof's section into RESULTS.md, in the place of the one that stands there. */
export function writeSection(name: string, text: string): void {
  const [start, end] = [`<!-- ${name}: start -->`, `<!-- ${name}: end -->`];
  const section = `${start}\n${text.trim()}\n${end}`;
  const before = existsSync(path) ? readFileSync(path, "utf8") : "# Results of the proofs\n";
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  const after =
    from === -1 || to === -1
      ? `${before.trimEnd()}\n\n${section}\n`
      : `${before.slice(0, from)}${section}${before.slice(to + end.length)}`;
  writeFileSync(path, after);
}

export function markdownTable({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = line(head.map(() => "---"));
  return [`### ${title}`, "", line(head), rule, ...rows.map(line)].join("\n");
}

/** Every cell on one line, for plots. */
export function plotData(results: readonly JobResult[]): string {
  const number = (value: number) => String(Math.round(value * 1e4) / 1e4);
  const lines = results.map(({ cell, result }) => {
    const { tasks, trials, effect, kind, decisions } = cell;
    const { accepted, saved, covered } = result;
    return [
      `${tasks}x${trials} ${effect} ${kind}`,
      decisions,
      ...[accepted, saved, covered].map(number),
    ].join(",");
  });
  return ["cell,count,accepted,saved,covered", ...lines].join("\n");
}
