import {
  type LeakIndex,
  maxPhraseWords,
  type Owner,
  type Passage,
  type Phrase,
  type IndexedQuestion,
  prefixLength,
  type Source,
} from "./leak-index.ts";
import { droppedExact, droppedLoose, droppedMarks, viewWithout } from "./leak-views.ts";
import { connectives, foldText, readWords, type Word, wordKey, wordWeight } from "./leak-words.ts";

/** An edit repeats something that only a task's checks, rubrics, reference or answers say. */
export interface Leak {
  readonly taskId: string;
  /** Its field in the task: `answers[0]`, `checks[1]`, `reference`. */
  readonly field: string;
  /**
   * - `source`: A whole pattern or piece of code.
   * - `passage`: Words in a row.
   * - `answer`: An answer that no rule contains by chance.
   * - `pair`: An answer next to words of its question.
   * - `quoted`: An answer after its question word for word, or after its task's id.
   * - `demand`: An order to say what a check looks for.
   * - `list`: Answers in a row.
   */
  readonly how: "source" | "passage" | "answer" | "pair" | "quoted" | "demand" | "list";
  /** The overlap, as written in the edit. */
  readonly text: string;
}

/**
 * Finds the first thing in an edit's content that was copied from a task of the index. Text that the target itself sees
 * doesn't count, nor does a label that many tasks share, nor text the skill had before (`known`). It compares
 * words and marks, so it doesn't find paraphrased or encoded copies.
 */
export function findLeak(content: string, index: LeakIndex, known = ""): Leak | undefined {
  for (const leak of findLeaks(content, index, known)) return leak;
  return undefined;
}

/** Finds all of them, one after the other; the same words may be reported more than once. */
export function* findLeaks(content: string, index: LeakIndex, known = ""): Generator<Leak> {
  const text = foldText(content);
  const words = readWords(text);
  const hits = findPhrases(words, index);
  const searches = [findSource, findPassage, findAnswer, findPair, findDemand, findList];
  let before: string | undefined;
  for (const search of searches) {
    for (const leak of search({ text, words, hits, index })) {
      before ??= ` ${wordKey(known)} `;
      if (!before.includes(` ${wordKey(leak.text)} `)) yield leak;
    }
  }
}

/** Says in one sentence what was copied, and from where. */
export function describeLeak({ taskId, field, how, text }: Leak): string {
  const shown = JSON.stringify(text.length > 160 ? `${text.slice(0, 159)}…` : text);
  return `It ${deeds[how]} (${field} of task ${taskId}): ${shown}.`;
}

const deeds: Readonly<Record<Leak["how"], string>> = {
  source: "copies a check's source",
  passage: "copies the wording of a check",
  answer: "contains an expected answer",
  pair: "gives a task's answer next to its question",
  quoted: "quotes a task with its answer",
  demand: "dictates what a check looks for",
  list: "lists expected answers",
};

interface Search {
  readonly text: string;
  readonly words: readonly Word[];
  readonly hits: readonly Hit[];
  readonly index: LeakIndex;
}

/** A short secret found in the text, by the positions of its words. */
interface Hit {
  readonly from: number;
  readonly to: number;
  readonly phrase: Phrase;
}

function findPhrases(words: readonly Word[], { phrases }: LeakIndex): readonly Hit[] {
  return findKeys(words, phrases).map(({ from, to, found }) => ({ from, to, phrase: found }));
}

function findKeys<T>(words: readonly Word[], keys: ReadonlyMap<string, T>) {
  const all: { readonly from: number; readonly to: number; readonly found: T }[] = [];
  if (keys.size === 0) return all;
  for (const from of words.keys()) {
    let key = "";
    for (let to = from + 1; to <= Math.min(words.length, from + maxPhraseWords); to += 1) {
      key += (key === "" ? "" : " ") + (words[to - 1]?.text ?? "");
      const found = keys.get(key);
      if (found !== undefined) all.push({ from, to, found });
    }
  }
  return all;
}

function* findSource({ text, index }: Search): Generator<Leak> {
  yield* findForms(text, droppedExact, index.exactSources, "source", index);
  yield* findForms(text, droppedLoose, index.looseSources, "source", index);
}

function* findForms(
  text: string,
  dropped: RegExp,
  sources: ReadonlyMap<string, readonly Source[]>,
  how: Leak["how"],
  index: LeakIndex,
): Generator<Leak> {
  if (sources.size === 0) return;
  const { view, places } = viewWithout(dropped, text);
  for (let at = 0; at + prefixLength <= view.length; at += 1) {
    for (const source of sources.get(view.slice(at, at + prefixLength)) ?? []) {
      if (!view.startsWith(source.form, at)) continue;
      const last = places[at + source.form.length - 1] ?? 0;
      const end = last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1);
      yield leakOf(index, source, how, text.slice(places[at], end));
    }
  }
}

/** Finds enough words of one passage in a row, or most of a passage in pieces. The longest run comes first. */
function* findPassage({ text, words: all, index }: Search): Generator<Leak> {
  const words = all.filter((word) => !connectives.has(word.text));
  const runs = findRuns(words, index).toSorted((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
  for (const run of runs) {
    if (isTelling(run, words)) yield leakOf(index, run.passage, "passage", sliceOf(text, words, run));
  }
  const unseen = runs.filter(({ hidden }) => hidden > 0);
  for (const [passage, pieces] of Map.groupBy(unseen, (run) => run.passage)) {
    const covered = new Set(pieces.flatMap(({ from, to, offset }) => range(from - offset, to - offset)));
    if (covered.size < 8 || covered.size * 5 < passage.words.length * 3) continue;
    const from = Math.min(...pieces.map((piece) => piece.from));
    const to = Math.max(...pieces.map((piece) => piece.to));
    yield leakOf(index, passage, "passage", sliceOf(text, words, { from, to }));
  }
}

/** Words `from` to `to` of the text are words `from - offset` to `to - offset` of the passage. */
interface Run {
  readonly passage: Passage;
  readonly offset: number;
  readonly from: number;
  readonly to: number;
  /** At how many places in the run the next three words are hidden from the target. */
  readonly hidden: number;
}

function findRuns(words: readonly Word[], { passages, passagesByWords }: LeakIndex): readonly Run[] {
  const runs: Run[] = [];
  let open = new Map<string, Run>();
  for (let at = 0; at + 3 <= words.length; at += 1) {
    const key = `${words[at]?.text} ${words[at + 1]?.text} ${words[at + 2]?.text}`;
    const continued = new Map<string, Run>();
    for (const { passage: number, position, isHidden } of passagesByWords.get(key) ?? []) {
      const passage = passages[number];
      if (passage === undefined) continue;
      const slot = `${number} ${at - position}`;
      const { from, hidden } = open.get(slot) ?? { from: at, hidden: 0 };
      const run = { passage, offset: at - position, from, to: at + 3 };
      continued.set(slot, { ...run, hidden: hidden + (isHidden ? 1 : 0) });
    }
    for (const [slot, run] of open) if (!continued.has(slot)) runs.push(run);
    open = continued;
  }
  return [...runs, ...open.values()];
}

/** A run may include words that the target sees, but they aren't enough to make one. */
function isTelling({ passage, from, to, hidden }: Run, words: readonly Word[]): boolean {
  const length = to - from;
  const isWhole = length === passage.words.length;
  const weight = words.slice(from, to).reduce((sum, word) => sum + wordWeight(word.text), 0);
  if (hidden === 0) return false;
  if (isWhole && length >= 5 && weight >= 1) return true;
  if (hidden < Math.min(3, length - 2)) return false;
  if (passage.isPattern) return weight >= 3 && (length >= 4 || isWhole);
  return weight >= 4 || (length >= 5 && weight >= 3) || (length >= 8 && weight >= 2);
}

/** Finds answers that are too unusual for chance, even if their letters are glued together or torn apart. */
function* findAnswer({ text, words, hits, index }: Search): Generator<Leak> {
  for (const hit of hits) {
    const [owner] = hit.phrase.owners;
    if (hit.phrase.isDistinctive && owner !== undefined)
      yield leakOf(index, { task: owner[0], field: owner[1] }, "answer", sliceOf(text, words, hit));
  }
  yield* findForms(text, droppedMarks, index.squashed, "answer", index);
}

/** Finds an answer next to words that only its task's input contains, or next to most of them if it's a label. */
function* findPair({ text, words, hits, index }: Search): Generator<Leak> {
  const places = new Map<number, number[]>();
  for (const [at, word] of words.entries()) {
    for (const task of index.tasksByWord.get(word.text) ?? []) {
      const list = places.get(task);
      if (list === undefined) places.set(task, [at]);
      else list.push(at);
    }
  }
  for (const hit of hits) {
    for (const [task, field] of hit.phrase.owners) {
      const near = (places.get(task) ?? []).filter((at) => isNear(at, hit));
      const found = near.filter((at) => isOfOneTask(words[at]?.text ?? "", hit.phrase, index));
      const distinct = new Set(found.map((at) => words[at]?.text)).size;
      if (distinct < wordsNeeded(hit.phrase, index.rareWords[task] ?? 0)) continue;
      const slice = { from: Math.min(...found, hit.from), to: Math.max(...found, hit.to - 1) + 1 };
      yield leakOf(index, { task, field }, "pair", sliceOf(text, words, slice));
    }
  }
  yield* findById({ text, words, hits, index });
  yield* findQuoted({ text, words, hits, index });
}

const isNear = (at: number, { from, to }: Hit): boolean =>
  (at >= from - pairReach && at < from) || (at >= to && at < to + pairReach);

/** A word shared by several tasks with the same answer belongs to their rule, not to one of them. */
const isOfOneTask = (word: string, { owners }: Phrase, { tasksByWord }: LeakIndex): boolean =>
  (tasksByWord.get(word) ?? []).filter((task) => owners.has(task)).length === 1;

/** Finds an answer after the id of its task. */
function* findById({ text, words, hits, index }: Search): Generator<Leak> {
  const named = findKeys(words, index.tasksById);
  if (named.length === 0) return;
  for (const hit of hits) {
    for (const { from, to, found: task } of named) {
      const field = hit.phrase.owners.get(task);
      if (field === undefined || to > hit.from || from < hit.from - pairReach) continue;
      yield leakOf(index, { task, field }, "quoted", sliceOf(text, words, { from, to: hit.to }));
    }
  }
}

/** Finds an answer, even a label, after its question word for word. */
function* findQuoted({ text, words, hits, index }: Search): Generator<Leak> {
  for (const { from, found } of findKeys(words, index.questions)) {
    for (const question of found) {
      const length = sharedLength(words, from, question.words);
      if (length < question.words.length && !isOwnBeginning(question, length, index)) continue;
      for (const hit of hits) {
        const field = hit.phrase.owners.get(question.task);
        if (field === undefined || hit.from < from + length || hit.from > from + length + quoteReach)
          continue;
        const slice = { from, to: hit.to };
        yield leakOf(index, { task: question.task, field }, "quoted", sliceOf(text, words, slice));
      }
    }
  }
}

function sharedLength(words: readonly Word[], from: number, question: readonly string[]): number {
  let length = 0;
  while (length < question.length && words[from + length]?.text === question[length]) length += 1;
  return length;
}

/** A long question needn't be quoted to its end, only past the template that tasks share. */
function isOwnBeginning(
  { task, words }: IndexedQuestion,
  length: number,
  { tasksByWord }: LeakIndex,
): boolean {
  const rare = new Set(words.slice(0, length).filter((word) => tasksByWord.get(word)?.includes(task)));
  return length >= 12 && rare.size >= 3;
}

/** Finds "Always include the words …": a check's value as something to say rather than to know. */
function* findDemand({ text, words, hits, index }: Search): Generator<Leak> {
  for (const hit of hits) {
    const [owner] = hit.phrase.owners;
    if (!hit.phrase.isDemanded || hit.phrase.isVocabulary || owner === undefined) continue;
    const start = words[hit.from]?.start ?? 0;
    const lead = text.slice(Math.max(0, start - 60), start);
    const isQuoted = hit.to - hit.from >= 2 && quotedDemand.test(lead);
    const demand = demandedWord.exec(lead) ?? (isQuoted ? quotedDemand.exec(lead) : null);
    if (demand === null) continue;
    const said = demand[0] + sliceOf(text, words, hit);
    yield leakOf(index, { task: owner[0], field: owner[1] }, "demand", said.trim());
  }
}

/** Finds three answers of different tasks in a row. Shared ones don't count, as they're in any list of labels. */
function* findList({ text, words, hits, index }: Search): Generator<Leak> {
  for (const row of findRows(text, words, hits)) {
    const [first, last] = [row[0], row.at(-1)];
    const [owner] = first?.phrase.owners ?? [];
    if (first === undefined || last === undefined || owner === undefined) continue;
    if (row.some(({ phrase }) => phrase.isVocabulary)) continue;
    if (new Set(row.map(({ phrase }) => phrase)).size < 3) continue;
    const slice = { from: first.from, to: last.to };
    yield leakOf(index, { task: owner[0], field: owner[1] }, "list", sliceOf(text, words, slice));
  }
}

function findRows(text: string, words: readonly Word[], hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const rows: Hit[][] = [];
  for (const hit of hits) {
    const row = rows.at(-1);
    const last = row?.at(-1)?.to ?? 0;
    if (row !== undefined && hit.from < last) continue;
    const between = text.slice(words[last - 1]?.end ?? 0, words[hit.from]?.start ?? 0);
    if (row !== undefined && listSeparator.test(between)) row.push(hit);
    else rows.push([hit]);
  }
  return rows;
}

// a comma, a bar, a line break or a connective, perhaps with a number, and only quotes and bullets around it
const listSeparator =
  /^[\s"'“”„`*_()°%]*(?:[,;|/\n]|\band\b|\bor\b)[\s"'“”„`*_()|-]*(?:(?:and|or)\s+|\d+[.):]\s*)?["'“”„`*_]*$/;

/** How many words on each side of an answer are searched. */
const pairReach = 12;

/** How many words after a quoted question its answer may come. */
const quoteReach = 40;

/** Needs more for long inputs, which share words with any sentence on their topic, and for labels, as rules name those. */
function wordsNeeded({ isVocabulary, isLabel }: Phrase, rareWords: number): number {
  if (isVocabulary) return Math.max(3, 0.6 * rareWords);
  return (isLabel ? 3 : 2) + Math.max(0, Math.floor(Math.log2(rareWords / 12)));
}

const demandedWord = new RegExp(
  String.raw`\b(?:contain|includ|mention|(?:the|these|this|exact)\s+(?:word|phrase|term|string|keyword|expression))(?:s|ing|e|es)?[\s:]+(?:the\s+)?(?:exact(?:ly)?\s+|literal(?:ly)?\s+)?(?:words?\s+|phrase\s+|term\s+|string\s+|keywords?\s+)?["'“„«‘*_\u0060]*$`,
  "i",
);
const quotedDemand =
  /\b(?:write|say|state|output|put|add|insert|answer|reply|respond|begin|start|end)(?:\s+\w+){0,3}[\s:]+["'“„«‘`]+$/i;

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

const sliceOf = (
  text: string,
  words: readonly Word[],
  { from, to }: { readonly from: number; readonly to: number },
): string => text.slice(words[from]?.start ?? 0, words[to - 1]?.end ?? 0);

const leakOf = ({ taskIds }: LeakIndex, { task, field }: Owner, how: Leak["how"], text: string): Leak => ({
  taskId: taskIds[task] ?? "",
  field,
  how,
  text,
});
