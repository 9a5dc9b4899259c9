import { type WordsOfText, readLikeness, wordLikeness } from "../../core/likeness.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

/**
 * How alike two requests are, from 0 to 1: the share of words that say what they are about, without endings, over all
 * wordings that are known of both; 1 when a wording is the same.
 */
export function likeness(a: MinedTask, b: MinedTask): number {
  let most = 0;
  for (const one of readTask(a))
    for (const other of readTask(b)) most = Math.max(most, wordLikeness(one, other));
  return most;
}

/** The same request in other words. Other numbers are another request; a quote of one conversation in both tells a lot. */
export function isSameTask(a: MinedTask, b: MinedTask): boolean {
  const alike = likeness(a, b);
  if (alike === 1) return true;
  if (readTask(a)[0]?.values !== readTask(b)[0]?.values) return false;
  const sharesPlace =
    a.seen.some((id) => b.seen.includes(id)) && a.evidence.some((quote) => b.evidence.includes(quote));
  return alike >= (sharesPlace ? sameInPlace : same);
}

/** So alike that an answer to the one helps with the other. */
export const resembles = (a: MinedTask, b: MinedTask): boolean => likeness(a, b) >= similar;

const [same, similar, sameInPlace] = [0.7, 0.5, 0.3];

/** Each task is compared with all others. */
const readTasks = new WeakMap<MinedTask, readonly WordsOfText[]>();

/** The request and its other wordings. */
function readTask(mined: MinedTask): readonly WordsOfText[] {
  const known = readTasks.get(mined);
  if (known !== undefined) return known;
  const read = [mined.task.input, ...mined.paraphrases].map(readLikeness);
  readTasks.set(mined, read);
  return read;
}
