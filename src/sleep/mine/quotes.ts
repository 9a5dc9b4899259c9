import { type Word, isCharacter, isTopicWord, readWords } from "../../core/guard/leak-words.ts";
import type { ConversationTurn } from "../../core/ports/conversation.ts";
import { type SentenceSpan, findSentences } from "../../core/sentences.ts";
import { bareNo } from "./no-words.ts";
import { typedText, typedWords } from "./typed.ts";

/** The place of a quote: the turn's index, and the span in its prompt. */
export interface FoundQuote extends SentenceSpan {
  readonly turn: number;
}

/**
 * Finds where a person typed these words in sequence, ignoring case, punctuation and spacing. Pasted text is skipped. A quote
 * with an ellipsis is found if its parts are in one turn. A single word could be anywhere, so it only counts if it's all that
 * was typed.
 */
export function findQuote(quote: string, turns: readonly ConversationTurn[]): FoundQuote | undefined {
  const parts = quote.split(/\.{3}|…/u).map(wordsOf);
  const wanted = parts.filter((words) => words.length > 0);
  if (wanted.length === 0) return undefined;
  const isShort = wanted.flat().length < 2;
  for (const [turn, each] of turns.entries()) {
    const typed = typedWords(each);
    if (isShort && typed.length !== 1) continue;
    const span = findParts(wanted, typed);
    if (span !== undefined) return { turn, ...span };
  }
  return undefined;
}

/**
 * The typed sentence that most of a paraphrase's words come from, or that it fully contains. At least three words must match,
 * one of them specific. If two sentences are equally near, it's neither.
 */
export function findNearest(quote: string, turns: readonly ConversationTurn[]): FoundQuote | undefined {
  const wanted = new Set(wordsOf(quote));
  const near = turns.flatMap((each, turn) => {
    const typed = typedText(each);
    return findSentences(typed).flatMap((span) => {
      const words = new Set(wordsOf(typed.slice(span.start, span.end)));
      const shared = [...words].filter((word) => wanted.has(word));
      const share = shared.length / Math.min(words.size, wanted.size);
      const isTelling = shared.some((word) => isTopicWord(word) || isCharacter(word));
      return shared.length >= 3 && isTelling && share >= nearEnough
        ? [{ turn, ...span, share, shared: shared.length }]
        : [];
    });
  });
  const [best, second] = near.toSorted((a, b) => b.shared - a.shared || b.share - a.share);
  if (best === undefined || (second?.shared === best.shared && second.share === best.share)) return undefined;
  return { turn: best.turn, start: best.start, end: best.end };
}

const nearEnough = 0.6;

/**
 * The rule exactly as the person typed it, given the miner's version. Omitted words may reverse or limit its meaning
 * ("don't …", "… unless …"), and then it's the whole sentence. Undefined if nobody typed it.
 */
export function findStated(claimed: string, turns: readonly ConversationTurn[]): string | undefined {
  const quoted = findQuote(claimed, turns);
  const texts = turns.map(typedText);
  if (quoted !== undefined && wordsOf(claimed).length > 1) return statedAt(texts[quoted.turn] ?? "", quoted);
  for (const text of texts) {
    const sentence = findSentences(text).find(({ start, end }) => isNearly(claimed, text.slice(start, end)));
    if (sentence !== undefined) return withoutLeadIn(text.slice(sentence.start, sentence.end));
  }
  return undefined;
}

const wordsOf = (text: string): readonly string[] => readWords(text).map((word) => word.text);

function findParts(parts: readonly (readonly string[])[], typed: readonly Word[]): SentenceSpan | undefined {
  let from = 0;
  let start: number | undefined;
  let end = 0;
  for (const part of parts) {
    const at = indexOfWords(part, typed, from);
    if (at === -1) return undefined;
    start ??= typed[at]?.start ?? 0;
    from = at + part.length;
    end = typed[from - 1]?.end ?? 0;
  }
  return start === undefined ? undefined : { start, end };
}

function indexOfWords(part: readonly string[], typed: readonly Word[], from: number): number {
  for (let at = from; at + part.length <= typed.length; at += 1)
    if (part.every((word, nth) => typed[at + nth]?.text === word)) return at;
  return -1;
}

function statedAt(prompt: string, span: SentenceSpan): string | undefined {
  const touched = findSentences(prompt).filter(({ start, end }) => start < span.end && end > span.start);
  const start = touched[0]?.start ?? span.start;
  const end = touched.at(-1)?.end ?? span.end;
  if (prompt.slice(start, end).endsWith("?")) return undefined;
  const lead = prompt.slice(start, end).length - withoutLeadIn(prompt.slice(start, end)).length;
  const whole = prompt.slice(Math.min(start + lead, span.start), end);
  const leftOut = `${prompt.slice(start + lead, span.start)} ${prompt.slice(span.end, end)}`;
  return wordsOf(leftOut).some((word) => turning.has(word)) ? whole : widen(prompt, span, { start, end });
}

/** Adds the punctuation of the first and last word: `--no-verify`, not `no-verify`. */
function widen(prompt: string, span: SentenceSpan, { start, end }: SentenceSpan): string {
  const before =
    /[^\s,;:([{"'“‘]*$/u.exec(prompt.slice(Math.max(start, span.start - maxMarks), span.start))?.[0] ?? "";
  const after = /^[^\s,;:)\]}"'”’]*/u.exec(prompt.slice(span.end, end))?.[0] ?? "";
  return prompt.slice(span.start - before.length, span.end + after.length);
}

const maxMarks = 100;

/** Whether a sentence has most of the claimed words, in order, and little else, so that it's the one meant. */
function isNearly(claimed: string, sentence: string): boolean {
  const [wanted, typed] = [wordsOf(claimed), wordsOf(withoutLeadIn(sentence))];
  if (wanted.length < 3 || typed.length > maxCompared || wanted.length > maxCompared) return false;
  const common = commonInOrder(wanted, typed);
  if (common >= 0.8 * wanted.length && common >= 0.6 * typed.length) return true;
  // a paraphrase adds words around it
  return typed.length >= 3 && common === typed.length;
}

const maxCompared = 100;

/** Length of the longest common subsequence. */
function commonInOrder(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const word of a) {
    const next = [0];
    for (const [at, other] of b.entries())
      next.push(word === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

const withoutLeadIn = (sentence: string): string => {
  const bare = sentence.replace(bareNo, "").replace(leadIn, "");
  return bare === "" ? sentence : bare;
};

// "no" is a lead-in only before punctuation: "no tabs" is the rule itself
const leadIn =
  /^(?:(?:(?:no|nope|nah|wrong|ok|okay|well|hey|wait|sorry|please|actually)\s*[,.:;!—–-]+\s*)|(?:(?:please|actually|but|and|so|(?:as |like )?i (?:already )?said|i told you|i meant)\s*[,:]?\s+(?:that\s+|to\s+)?))+/iu;

const turning: ReadonlySet<string> = new Set(
  `no not nor never dont doesnt didnt isnt arent cant cannot wont shouldnt mustnt without unless except excluding if when
  whenever while until only but instead rather avoid stop unlike`.split(/\s+/),
);
