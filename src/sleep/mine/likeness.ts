import { type WordsOfText, readLikeness, wordLikeness } from "../../core/likeness.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

/**
 * How alike two requests are, from 0 to 1: the shared part of their topic words, without endings. It uses the best match
 * over all known wordings of both, and is 1 if a wording is identical.
 */
export function likeness(a: MinedTask, b: MinedTask): number {
  let most = 0;
  for (const one of readTask(a))
    for (const other of readTask(b)) most = Math.max(most, wordLikeness(one, other));
  return most;
}

/** Whether it's the same request in other words. Other numbers mean another request; a shared quote is strong evidence. */
export function isSameTask(a: MinedTask, b: MinedTask): boolean {
  const alike = likeness(a, b);
  if (alike === 1) return true;
  if (readTask(a)[0]?.values !== readTask(b)[0]?.values) return false;
  const sharesPlace =
    a.seen.some((id) => b.seen.includes(id)) && a.evidence.some((quote) => b.evidence.includes(quote));
  return alike >= (sharesPlace ? sameInPlace : same);
}

/** Whether they are so alike that an answer to one helps with the other. */
export const resembles = (a: MinedTask, b: MinedTask): boolean => likeness(a, b) >= similar;

const [same, similar, sameInPlace] = [0.7, 0.5, 0.3];

/** Cached, because each task is compared with all others. */
const readTasks = new WeakMap<MinedTask, readonly WordsOfText[]>();

/** The request and its other wordings. */
function readTask(mined: MinedTask): readonly WordsOfText[] {
  const known = readTasks.get(mined);
  if (known !== undefined) return known;
  const read = [mined.task.input, ...mined.paraphrases].map(readLikeness);
  readTasks.set(mined, read);
  return read;
}
