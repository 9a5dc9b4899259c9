import type { JobResult } from "./gate/gate-jobs.ts";
import type { Table } from "./aligned-table.ts";

/** Whether all bars of a proof hold, or which fall short. */
export const held = (shortfalls: readonly string[]): string =>
  shortfalls.length === 0
    ? "All of it holds."
    : ["Falls short:", "", ...shortfalls.map((one) => `- ${one}`)].join("\n");

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
