import { hashJson, hashText } from "../canonical.ts";
import { disjointSets } from "./disjoint-sets.ts";
import { oncePerTask } from "./once-per-task.ts";
import type { Task } from "./task.ts";

/** Two tasks, by position, that ask the same thing. */
export interface DuplicateLink {
  readonly first: number;
  readonly second: number;
  /** Share of common 3-word shingles; 1 if the normalised inputs are equal. */
  readonly similarity: number;
}

/**
 * Links tasks that ask the same thing, enough of them to connect every cluster of duplicates (not every pair).
 *
 * They need the same `files`, and the same `metadata` if only an environment can score the task. Their normalised inputs
 * must be equal. From 8 words on, a Jaccard similarity of 0.9 between the sets of 3-word shingles is enough. One changed
 * word breaks three shingles, so only inputs of about 60 words and more can differ by a word. Words with a digit, or
 * without a letter, are values: inputs with different values are different tasks, however long their common template.
 */
export function findNearDuplicates(tasks: readonly Task[]): readonly DuplicateLink[] {
  const links: DuplicateLink[] = [];
  const buckets = new Map<string, Document[]>();
  const firstOf = new Map<string, number>();
  for (const [index, task] of tasks.entries()) {
    const asked = `${surroundings(task)}\n${askedText(task)}`;
    const first = firstOf.get(asked);
    if (first !== undefined) {
      links.push({ first, second: index, similarity: 1 });
      continue;
    }
    firstOf.set(asked, index);
    const words = askedText(task).split(" ");
    if (words.length < minWords) continue;
    const bucket = valuesOf(task, words);
    const documents = buckets.get(bucket) ?? [];
    if (documents.length === 0) buckets.set(bucket, documents);
    documents.push({ index, shingles: shingle(words) });
  }
  for (const documents of buckets.values()) links.push(...linkSimilar(documents));
  return links;
}

/** Hashes that a journal keeps of a task to recognize near-duplicates later; they contain none of its words. */
export interface TaskPrint {
  /** Hash of everything that must be equal. */
  readonly around: string;
  /** Empty if the input is too short to have near-duplicates. */
  readonly shingles: readonly string[];
}

export const printOf = oncePerTask((task): TaskPrint => {
  const words = askedText(task).split(" ");
  const shingles =
    words.length < minWords ? [] : [...shingle(words)].map((each) => hashText(each).slice(0, 8));
  // for long inputs we keep the smallest hashes, a sample that two similar inputs share
  return {
    around: hashText(valuesOf(task, words)).slice(0, 16),
    shingles: shingles.toSorted().slice(0, 256),
  };
});

/** Links the prints of tasks that ask nearly the same, by the rules of `findNearDuplicates`. */
export function linkPrints(prints: readonly TaskPrint[]): readonly DuplicateLink[] {
  const documents = prints.map(({ around, shingles }, index) => ({
    index,
    around,
    shingles: new Set(shingles),
  }));
  const similar = Map.groupBy(
    documents.filter(({ shingles }) => shingles.size > 0),
    ({ around }) => around,
  );
  return [...similar.values()].flatMap(linkSimilar);
}

/** The words of a task's input, as one text. */
export const askedText = oncePerTask(({ input }) => inputWords(input).join(" "));

/** The words of an input: NFKC, lower case, without quotes and the punctuation that ends a word. */
export function inputWords(input: string): readonly string[] {
  const folded = input
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/["'`“”‘’]/gu, "");
  const bare = folded.replaceAll(/(?<=\p{L})[.,;:!?…]+(?=\s|$)/gu, "");
  // scripts without spaces: each character is a word
  const spaced = bare.replaceAll(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/gu, " $& ");
  return spaced.split(/\s+/u).filter((word) => word !== "");
}

function surroundings({ files, metadata, answers, checks }: Task): string {
  const parameters = answers === undefined && checks === undefined ? metadata : undefined;
  return hashJson({ ...(files && { files }), ...(parameters && { parameters }) });
}

const valuesOf = (task: Task, words: readonly string[]): string =>
  `${surroundings(task)}\n${words.filter(isValue).join(" ")}`;

interface Document {
  readonly index: number;
  readonly shingles: ReadonlySet<string>;
}

const minWords = 8;

const isValue = (word: string): boolean => /\p{N}/u.test(word) || !/\p{L}/u.test(word);

/**
 * Uses prefix filtering: with shingles in one order, rare first, two sets of Jaccard ≥ 0.9 share one of their
 * first |x| − ⌈0.9·|x|⌉ + 1. Only such pairs are compared exactly.
 */
function linkSimilar(documents: readonly Document[]): readonly DuplicateLink[] {
  if (documents.length < 2) return [];
  const sets = rankShingles(documents.map(({ shingles }) => shingles));
  const bySize = sets.map((_, at) => at).toSorted((a, b) => sizeOf(sets, a) - sizeOf(sets, b) || a - b);
  const clusters = disjointSets(documents.length);
  // rank → cluster → holders: a cluster that's already linked is skipped as a whole, so many duplicates cost little
  const holders = new Map<number, Map<number, number[]>>();
  const links: DuplicateLink[] = [];
  for (const at of bySize) {
    const set = sets[at] ?? [];
    const prefix = set.slice(0, set.length - Math.ceil((9 * set.length) / 10) + 1);
    const compared = new Set<number>();
    for (const [cluster, others] of prefix.flatMap((rank) => [...(holders.get(rank) ?? [])])) {
      for (const other of others) {
        if (clusters.find(cluster) === clusters.find(at)) break;
        if (compared.has(other) || 10 * sizeOf(sets, other) < 9 * set.length) continue;
        compared.add(other);
        const similarity = jaccard(set, sets[other] ?? []);
        if (similarity < 0.9) continue;
        clusters.join(at, other);
        links.push(linkOf(documents, at, other, similarity));
      }
    }
    for (const rank of prefix) hold(holders, rank, clusters.find(at), at);
  }
  return links;
}

function hold(holders: Map<number, Map<number, number[]>>, rank: number, cluster: number, at: number): void {
  const byCluster = holders.get(rank) ?? new Map<number, number[]>();
  holders.set(rank, byCluster);
  const held = byCluster.get(cluster) ?? [];
  byCluster.set(cluster, held);
  held.push(at);
}

function linkOf(documents: readonly Document[], a: number, b: number, similarity: number): DuplicateLink {
  const [one, other] = [documents[a]?.index ?? 0, documents[b]?.index ?? 0];
  return { first: Math.min(one, other), second: Math.max(one, other), similarity };
}

const sizeOf = (sets: readonly (readonly number[])[], at: number): number => sets[at]?.length ?? 0;

function shingle(words: readonly string[]): ReadonlySet<string> {
  const shingles = new Set<string>();
  for (let at = 0; at + 3 <= words.length; at += 1) shingles.add(words.slice(at, at + 3).join(" "));
  return shingles;
}

/** Turns each set into ascending ranks; the rarest shingle of all has rank 0. */
function rankShingles(sets: readonly ReadonlySet<string>[]): readonly (readonly number[])[] {
  const counts = new Map<string, number>();
  for (const set of sets) for (const each of set) counts.set(each, (counts.get(each) ?? 0) + 1);
  const ordered = [...counts].toSorted(([, a], [, b]) => a - b);
  const ranks = new Map(ordered.map(([each], rank) => [each, rank]));
  return sets.map((set) => [...set].map((each) => ranks.get(each) ?? 0).toSorted((a, b) => a - b));
}

function jaccard(a: readonly number[], b: readonly number[]): number {
  let [shared, left, right] = [0, 0, 0];
  while (left < a.length && right < b.length) {
    const difference = (a[left] ?? 0) - (b[right] ?? 0);
    if (difference === 0) shared += 1;
    if (difference <= 0) left += 1;
    if (difference >= 0) right += 1;
  }
  return shared / (a.length + b.length - shared);
}
