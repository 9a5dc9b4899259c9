import { stripVTControlCharacters } from "node:util";

export const percent = (score: number): string => `${(100 * score).toFixed(1)} %`;

/** `0:07`, `12:40`, `3:05:00`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Columns of equal width; the last one is as long as it is. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, width(cell));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - width(cell))))
      .join("  "),
  );
}

/** Cut at a number of columns, colours left out when it must be cut. */
export function fit(line: string, columns: number): string {
  if (width(line) <= columns) return line;
  return `${Array.from(stripVTControlCharacters(line))
    .slice(0, Math.max(columns - 1, 0))
    .join("")}…`;
}

const width = (text: string): number => Array.from(stripVTControlCharacters(text)).length;
