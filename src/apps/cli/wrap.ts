/** Longer lines are hard to read, however wide the screen is. */
const mostColumns = 80;

/** Lines of at most `columns`, broken between words; every one begins with the indent. */
export function wrap(text: string, columns: number, indent = ""): readonly string[] {
  const width = Math.max(Math.min(columns, mostColumns) - indent.length, 20);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((one) => indent + one);
}
