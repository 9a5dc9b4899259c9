import { seededRandom, shuffle } from "../random.ts";
import { type Act, type Reminder, isMeant } from "./reminder.ts";

/** One conversation: the acts of each tool call. */
export interface TalkActs {
  readonly conversation: string;
  readonly calls: readonly (readonly Act[])[];
  /** How many of the calls came before the person had to say it again; missing where they didn't have to. */
  readonly before?: number;
}

/** A reminder's effect on recorded calls that it wasn't made from. */
export interface ReminderTest {
  /** Conversations that it was made from. */
  readonly madeFrom: number;
  /** The other conversations in which the person had to say it again; it stops a call before that in so many. */
  readonly relapses: number;
  readonly stopped: number;
  /** Calls of the other conversations in which they didn't have to; it stops so many. */
  readonly others: number;
  readonly wrong: number;
}

export interface ReminderInput {
  /** Draws the conversations that it is made from. */
  readonly seed: string;
  readonly talks: readonly TalkActs[];
  /** All that the person said of it. */
  readonly said: string;
  readonly message: string;
}

/**
 * The reminder that stops most of the calls that a person corrected, and the fewest others. It is made from a third of the
 * conversations and tested on the rest; undefined if it doesn't pass.
 */
export function makeReminder({
  seed,
  talks,
  said,
  message,
}: ReminderInput): { readonly reminder: Reminder; readonly test: ReminderTest } | undefined {
  const isRelapse = ({ before = 0 }: TalkActs) => before > 0;
  const [relapses, others] = [talks.filter(isRelapse), talks.filter(({ before }) => before === undefined)];
  const drawn = [relapses, others].map((all, at) => shuffle(all, seededRandom("reminder", seed, at)));
  const [made = [], tested = []] = [0, 1].map((part) =>
    drawn.flatMap((all) => {
      const third = Math.floor(all.length / 3);
      return part === 0 ? all.slice(0, third) : all.slice(third);
    }),
  );
  const words = new Set(
    said
      .toLowerCase()
      .match(/[^\s\x60"'“”«»,;:!?()]+/g)
      ?.map((one) => one.replace(/\.$/, "")),
  );
  const found = candidatesIn(made).map((one) => ({ ...one, ...testReminder(one, made.filter(isRelapse)) }));
  const most = Math.max(...found.map(({ stopped }) => stopped));
  const ranked = found
    .filter(({ stopped }) => stopped === most)
    .map((one) => ({ ...one, ...testReminder(one, made), unsaid: unsaidWords(one.pattern, words) }))
    .toSorted(
      (a, b) =>
        a.wrong - b.wrong ||
        Number(a.unsaid > 0) - Number(b.unsaid > 0) ||
        // of those that were said the longest, of the others the shortest
        (a.unsaid === 0 ? -1 : 1) * (a.pattern.length - b.pattern.length) ||
        (a.pattern < b.pattern ? -1 : 1),
    );
  const [best] = ranked;
  if (best === undefined) return undefined;
  const reminder = { act: best.act, pattern: best.pattern, message };
  const test = { ...testReminder(reminder, tested), madeFrom: made.length };
  return isWorthOffering(test) ? { reminder, test } : undefined;
}

const isWorthOffering = ({ relapses, stopped, others, wrong }: ReminderTest): boolean =>
  relapses >= 2 && stopped >= 0.95 * relapses && others >= 20 && wrong <= 0.005 * others;

type Check = Pick<Reminder, "act" | "pattern">;

export function testReminder(check: Check, talks: readonly TalkActs[]): Omit<ReminderTest, "madeFrom"> {
  const stops = (acts: readonly Act[]) => acts.some((act) => isMeant(check, act));
  const relapses = talks.filter(({ before }) => before !== undefined);
  const others = talks.flatMap(({ before, calls }) => (before === undefined ? calls : []));
  return {
    relapses: relapses.length,
    stopped: relapses.filter(({ calls, before }) => calls.slice(0, before).some(stops)).length,
    others: others.length,
    wrong: others.filter(stops).length,
  };
}

/** Every check that stops something that was done before a correction, each once. */
function candidatesIn(talks: readonly TalkActs[]): readonly Check[] {
  const acts = talks.flatMap(({ calls, before = 0 }) => calls.slice(0, before).flat());
  const checks = acts.flatMap((act) =>
    (act.kind === "running" ? commandPatterns(act.words) : pathPatterns(act.path)).map((pattern) => ({
      act: act.kind,
      pattern,
    })),
  );
  const writable = checks.filter(({ pattern }) => /^[^\x60\s](?:[^\x60\n]{0,98}[^\x60\s])?$/.test(pattern));
  return [...new Map(writable.map((check) => [`${check.act} ${check.pattern}`, check])).values()];
}

/** Its first one to three words, alone and with each of its options. */
function commandPatterns(words: readonly string[]): readonly string[] {
  const single = words.filter((word) => /^[^\s*]+$/.test(word));
  const plain = single.filter((word) => !word.startsWith("-"));
  const options = single.filter((word) => /^-[\w-]/.test(word)).map((word) => word.split("=")[0] ?? "");
  const starts = [1, 2, 3].slice(0, plain.length).map((count) => plain.slice(0, count).join(" "));
  return starts.flatMap((start) => [start, ...options.map((option) => `${start} ${option}`)]);
}

/** The file, its name, its kind, and the folders that it is in. */
function pathPatterns(path: string): readonly string[] {
  if (path.includes("*")) return [];
  const names = path.split("/");
  const name = names.at(-1) ?? "";
  const kinds = Array.from(name.matchAll(/\.\w+$/g), ([kind]) => `*${kind}`);
  const folders = names.slice(0, -1).map((_, at) => `${names.slice(0, at + 1).join("/")}/`);
  return [path, name, ...kinds, ...folders];
}

const unsaidWords = (pattern: string, said: ReadonlySet<string>): number =>
  pattern
    .toLowerCase()
    .split(" ")
    .filter((word) => !said.has(word) && !said.has(word.replace(/^\*\.|\/$/g, ""))).length;
