import { leftAfter, lookPart, payOf } from "../gate/claim/account.ts";
import { askedHash } from "../tasks/asked-hash.ts";
import { unitsOf } from "../tasks/clusters.ts";
import { disjointSets } from "../tasks/disjoint-sets.ts";
import { type TaskPrint, linkPrints, printOf } from "../tasks/near-duplicates.ts";
import type { Task } from "../tasks/task.ts";

/** A question about tasks: whether one text, or one of several, is better than another. */
export interface AskedQuestion {
  /** The id of its texts: the same texts are one question, however often it's asked. */
  readonly id: string;
  /** The text that should be better, or several. */
  readonly text: string;
  readonly target: string;
  /** The tasks that it reads. */
  readonly tasks: readonly Task[];
  /** All tasks of their file, whose parts share an account. @default tasks */
  readonly file?: readonly Task[] | undefined;
  /** `fades` if questions never end, as in CI. @default "lasts" */
  readonly memory?: "lasts" | "fades" | undefined;
}

/** A look at a question, as stored in the journal. */
export interface AskedRow extends Pick<Bar, "read"> {
  readonly question: string;
  readonly text: string;
  readonly target: string;
  /** Hashes of the inputs of its file's tasks. */
  readonly tasks: readonly string[];
  /** The question's share of each task's account, and how much of it was paid now: nothing if it had paid before. */
  readonly pays: readonly number[];
  readonly paid: readonly number[];
  /** Prints of the tasks that were new to the journal. */
  readonly prints: Readonly<Record<string, TaskPrint>>;
}

/** The threshold of a claim and its origin. */
export interface Bar {
  /** Its number among the questions on these tasks: the largest count for any of them. */
  readonly read: number;
  /** The number of this look at the question. */
  readonly look: number;
  /** How many tasks of the file are new to questions. */
  readonly fresh: number;
  /** The share of alpha that all looks at it together may spend on "better" and "no difference". */
  readonly pay: number;
  /** This look's part of that share, and its part for "worse", which is only a warning. */
  readonly share: number;
  readonly worse: number;
  readonly memory: "lasts" | "fades";
}

/**
 * The threshold of a question after all earlier ones, and the payment of each task in its file. A question may spend
 * the mean of these payments. So new tasks refill the account by their share, and all questions on a file together
 * never overspend. New tasks that aren't read don't help.
 */
export function barOf(
  question: AskedQuestion,
  earlier: readonly AskedRow[],
  found: ReadonlySet<string> = new Set(),
): Bar & Pick<AskedRow, "pays" | "paid"> {
  const { id, text, target, tasks, file = tasks, memory = "lasts" } = question;
  // an unchanged text isn't a new question on a new model
  const isNewTarget = earlier.every((row) => row.text !== text || row.target !== target);
  const isSame = (row: AskedRow) => row.question === id || (isNewTarget && row.text === text);
  const standings = historiesOf(file, earlier).map((history, at) => {
    const own = history.find(({ row }) => isSame(row));
    const paid = history.flatMap((one) => (one.paid > 0 ? one.paid : []));
    const look = 1 + history.filter(({ row }) => row.question === id && row.target === target).length;
    const part = lookPart(found.has(askedHash(file[at] as Task)) ? 1 : look);
    const pay = own?.pay ?? payOf(leftAfter(paid, memory));
    return {
      pay,
      paid: own === undefined ? pay : 0,
      share: part * pay,
      worse: part * payOf(1),
      look,
      read: own?.row.read ?? paid.length + 1,
    };
  });
  const most = (values: readonly number[]) => Math.max(1, ...values);
  const read = new Set(tasks.map(askedHash));
  const isRead = file.map((task) => read.has(askedHash(task)));
  const leastMean = (values: readonly number[]) =>
    Math.min(
      meanOfUnits(file, values),
      meanOfUnits(
        file.filter((_, at) => isRead[at]),
        values.filter((_, at) => isRead[at]),
      ),
    );
  return {
    read: most(standings.map(({ read }) => read)),
    look: most(standings.map(({ look }) => look)),
    fresh: standings.filter(({ read }) => read === 1).length,
    pay: leastMean(standings.map(({ pay }) => pay)),
    share: leastMean(standings.map(({ share }) => share)),
    worse: leastMean(standings.map(({ worse }) => worse)),
    memory,
    pays: standings.map(({ pay }) => pay),
    paid: standings.map(({ paid }) => paid),
  };
}

/** Prints of tasks that the journal doesn't know yet. */
export function newPrints(tasks: readonly Task[], earlier: readonly AskedRow[]): AskedRow["prints"] {
  const known = new Set(earlier.flatMap(({ prints }) => Object.keys(prints)));
  const news = tasks.map((task) => [askedHash(task), printOf(task)] as const);
  return Object.fromEntries(news.filter(([hash, { shingles }]) => shingles.length > 0 && !known.has(hash)));
}

interface AskedOfTask {
  readonly row: AskedRow;
  readonly pay: number;
  readonly paid: number;
}

/** For each task, the looks that included it or a near-duplicate of it, in order. */
function historiesOf(
  tasks: readonly Task[],
  earlier: readonly AskedRow[],
): readonly (readonly AskedOfTask[])[] {
  const asked = tasks.map(askedHash);
  const prints = new Map(earlier.flatMap((row) => Object.entries(row.prints)));
  tasks.forEach((task, at) => prints.set(asked[at] ?? "", printOf(task)));
  const hashes = [...prints.keys()];
  const sets = disjointSets(hashes.length);
  for (const { first, second } of linkPrints([...prints.values()])) sets.join(first, second);
  const roots = new Map(hashes.map((hash, at) => [hash, hashes[sets.find(at)] ?? hash]));
  const rootOf = (hash: string) => roots.get(hash) ?? hash;
  const histories = new Map(asked.map((hash): [string, AskedOfTask[]] => [rootOf(hash), []]));
  for (const row of earlier)
    for (const [root, places] of Map.groupBy(row.tasks.keys(), (at) => rootOf(row.tasks[at] ?? ""))) {
      const most = (values: readonly number[]) => Math.max(...places.map((at) => values[at] ?? 0));
      histories.get(root)?.push({ row, pay: most(row.pays), paid: most(row.paid) });
    }
  return asked.map((hash) => histories.get(rootOf(hash)) ?? []);
}

/** Tasks that were sampled together count once, by the one with the least left. */
function meanOfUnits(tasks: readonly Task[], values: readonly number[]): number {
  const least = new Map<number, number>();
  unitsOf(tasks).forEach((unit, at) =>
    least.set(unit, Math.min(least.get(unit) ?? Number.POSITIVE_INFINITY, values[at] ?? 0)),
  );
  return [...least.values()].reduce((sum, value) => sum + value, 0) / Math.max(least.size, 1);
}
