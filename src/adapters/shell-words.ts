/** Quotes words for a POSIX shell, so that each arrives exactly as it is. */
export const quoteWords = (words: readonly string[]): string => words.map(quoteWord).join(" ");

export const quoteWord = (word: string): string =>
  /^[\w@+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The reverse of `quoteWords`; undefined if the text was quoted in another way. */
export function unquoteWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  for (const part of text.matchAll(/((?:[^\s'\\]|\\.|'[^']*')+)(\s+|$)|[^]/g)) {
    if (part[1] === undefined) return undefined;
    words.push(
      part[1].replace(
        /'([^']*)'|\\(.)/g,
        (_all, quoted?: string, escaped?: string) => quoted ?? escaped ?? "",
      ),
    );
  }
  return words;
}
