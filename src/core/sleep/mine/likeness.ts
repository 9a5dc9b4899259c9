import { foldText, isTopicWord, readWords } from "../../guard/leak-words.ts";
import { inputWords } from "../../tasks/near-duplicates.ts";
import type { MinedTask } from "./mined-task.ts";

/**
 * How alike two requests are, from 0 to 1: the share of words that say what they are about, without endings, over all
 * wordings that are known of both; 1 when a wording is the same.
 */
export function likeness(a: MinedTask, b: MinedTask): number {
  let most = 0;
  for (const one of readTask(a).wordings)
    for (const other of readTask(b).wordings) most = Math.max(most, compare(one, other));
  return most;
}

/** The same request in other words. Other numbers are another request; a quote of one conversation in both tells a lot. */
export function isSameTask(a: MinedTask, b: MinedTask): boolean {
  const alike = likeness(a, b);
  if (alike === 1) return true;
  if (readTask(a).values !== readTask(b).values) return false;
  const sharesPlace =
    a.seen.some((id) => b.seen.includes(id)) && a.evidence.some((quote) => b.evidence.includes(quote));
  return alike >= (sharesPlace ? sameInPlace : same);
}

/** So alike that an answer to the one helps with the other. */
export const resembles = (a: MinedTask, b: MinedTask): boolean => likeness(a, b) >= similar;

const [same, similar, sameInPlace] = [0.7, 0.5, 0.3];

interface Wording {
  readonly plain: string;
  readonly topics: ReadonlySet<string>;
}

interface ReadTask {
  readonly wordings: readonly Wording[];
  /** Words of the request that hold a digit. */
  readonly values: string;
}

/** Each task is compared with all others. */
const readTasks = new WeakMap<MinedTask, ReadTask>();

function readTask(mined: MinedTask): ReadTask {
  const known = readTasks.get(mined);
  if (known !== undefined) return known;
  const { task, paraphrases } = mined;
  const wordings = [task.input, ...paraphrases].map((text) => ({
    plain: inputWords(text).join(" "),
    topics: topicsOf(text),
  }));
  const read = { wordings, values: valuesOf(task.input) };
  readTasks.set(mined, read);
  return read;
}

function compare(a: Wording, b: Wording): number {
  if (a.plain === b.plain) return 1;
  let shared = 0;
  for (const topic of a.topics) if (b.topics.has(topic)) shared += 1;
  const all = a.topics.size + b.topics.size - shared;
  // one and the same topic in different words is not yet the same words
  return all === 0 ? 0 : Math.min(shared / all, almost);
}

const almost = 0.99;

const topicsOf = (text: string): ReadonlySet<string> =>
  new Set(
    readWords(foldText(text))
      .filter((word) => isTopicWord(word.text))
      .map((word) => withoutEnding(word.text)),
  );

/** Plurals and verb forms: enough for English, harmless elsewhere. */
function withoutEnding(word: string): string {
  if (word.length < 5 || /\p{N}/u.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?:ing|ed|es|s)$/, "")
    .replace(/e$/, "");
}

const valuesOf = (text: string): string =>
  readWords(foldText(text))
    .map((word) => word.text)
    .filter((word) => /\p{N}/u.test(word))
    .toSorted()
    .join(" ");
