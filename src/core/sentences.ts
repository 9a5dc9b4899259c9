/** Where a sentence stands in a text. */
export interface SentenceSpan {
  readonly start: number;
  readonly end: number;
}

/** The sentences of a text, by their marks and by lines, without the white space around them. */
export function findSentences(text: string): readonly SentenceSpan[] {
  const spans: SentenceSpan[] = [];
  for (const match of text.matchAll(sentence)) {
    const start = match.index + (match[0].length - match[0].trimStart().length);
    const end = match.index + match[0].trimEnd().length;
    if (end > start) spans.push({ start, end });
  }
  return spans;
}

// a mark ends a sentence only before white space: v1.2, file.ts and e.g.this go on
const sentence = /(?:[^\n.!?。！？।॥؟။។]|[.!?](?!\s|$))+(?:[.!?]+(?=\s|$)|[。！？।॥؟။។]+)?/gu;
