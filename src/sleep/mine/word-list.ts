/** Turns a comma-separated list into alternatives of a pattern. A comma without a space after it belongs to a word. */
export const wordList = (text: string): string =>
  text
    .trim()
    .split(/\s*,\s+/)
    .join("|");
