import { colors } from "./colors.ts";

/** A line of a diff in its color. */
export function paintLine(line: string): string {
  // a carriage return is part of the line end, and stays next to it
  const [, words = line, end = ""] = /^(.*?)(\r?)$/su.exec(line) ?? [];
  if (line.startsWith("+")) return colors.green(words) + end;
  return line.startsWith("-") ? colors.red(words) + end : line;
}
