import { type Word, readWords } from "../../core/guard/leak-words.ts";
import type { SentenceSpan } from "../../core/sentences.ts";
import type { ConversationTurn } from "../../core/ports/conversation.ts";

/** A prompt with blank lines in place of material, so that the person's own words keep their positions. */
export function typedText({ prompt, material = [] }: ConversationTurn): string {
  let text = prompt;
  for (const { start, end } of material)
    text = text.slice(0, start) + "\n".repeat(end - start) + text.slice(end);
  return text;
}

/** The spans of a prompt that the person wrote. */
export function typedStretches({ prompt, material = [] }: ConversationTurn): readonly SentenceSpan[] {
  const edges = [0, ...material.flatMap(({ start, end }) => [start, end]), prompt.length];
  return edges.flatMap((start, at) => {
    const end = edges[at + 1] ?? start;
    return at % 2 === 0 && end > start ? [{ start, end }] : [];
  });
}

/** The words that the person wrote; a word that nobody writes marks gaps between them. */
export function typedWords(turn: ConversationTurn): readonly Word[] {
  return typedStretches(turn).flatMap(({ start, end }, at) => [
    ...(at === 0 ? [] : [{ text: "\n", start, end: start }]),
    ...readWords(turn.prompt.slice(start, end)).map((word) => ({
      text: word.text,
      start: word.start + start,
      end: word.end + start,
    })),
  ]);
}
