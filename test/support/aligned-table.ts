/** A table for people: the terminal and RESULTS.md print the same. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table for a terminal. */
export function alignedTable({ title, head, rows }: Table): string[] {
  const widths = head.map((word, column) =>
    Math.max(word.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return ["", title, line(head), ...rows.map(line)];
}
