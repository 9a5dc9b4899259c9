import { pad, textWidth } from "./format.ts";
import { breakLine } from "./wrap.ts";

/** Names and what they stand for, in two columns; a long text goes on below itself. */
export function facts(
  rows: readonly (readonly [name: string, text: string])[],
  columns: number,
): readonly string[] {
  const width = Math.max(...rows.map(([name]) => textWidth(name)), 0);
  return rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = breakLine(text, columns - width - 4);
    return [`  ${pad(name, width)}  ${first}`, ...rest.map((line) => `${" ".repeat(width + 4)}${line}`)];
  });
}
