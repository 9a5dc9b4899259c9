/** Words with commas between them as alternatives of a pattern; a comma without a blank after it belongs to a word. */
export const wordList = (text: string): string =>
  text
    .trim()
    .split(/\s*,\s+/)
    .join("|");
