/** The position of a sentence in a text. */
export interface SentenceSpan {
  readonly start: number;
  readonly end: number;
}

/** Splits a text into sentences at punctuation and line breaks, without the white space around them. */
export function findSentences(text: string): readonly SentenceSpan[] {
  const spans: SentenceSpan[] = [];
  for (const match of text.matchAll(sentence)) {
    const start = match.index + (match[0].length - match[0].trimStart().length);
    const end = match.index + match[0].trimEnd().length;
    if (end > start) spans.push({ start, end });
  }
  return spans;
}

// punctuation ends a sentence only before white space, so v1.2, file.ts and e.g.this continue
const sentence = /(?:[^\n.!?。！？।॥؟။។]|[.!?](?!\s|$))+(?:[.!?]+(?=\s|$)|[。！？।॥؟။។]+)?/gu;
