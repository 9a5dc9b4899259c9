import { seededRandom, shuffle } from "../random.ts";
import type { RuleEvidence } from "../rules/rule.ts";
import { type Act, type ReminderCheck, changesFiles, isMeant, isMissed, startsOf } from "./reminder.ts";

/** One conversation, as the acts of each tool call. */
export interface TalkActs {
  readonly calls: readonly (readonly Act[])[];
  /** How many calls came before the person had to repeat it; missing if they didn't have to. */
  readonly before?: number;
}

/** A reminder's effect on recorded conversations that it wasn't made from. */
export type ReminderTest = Omit<Extract<RuleEvidence, { kind: "stops" }>, "kind">;

/**
 * Makes the check that stops most of what a person corrected, and the least else. It stops a call, or else the end of a
 * conversation without a command they named. It's made from a third of the conversations and tested on the rest.
 * Undefined if it fails that test. `said`: all words of the person, `seed`: draws the third.
 */
export function makeCheck(
  talks: readonly TalkActs[],
  said: string,
  seed: string,
): { readonly check: ReminderCheck; readonly test: ReminderTest } | undefined {
  const isRelapse = ({ before }: TalkActs) => before !== undefined;
  const drawn = [talks.filter(isRelapse), talks.filter((talk) => !isRelapse(talk))].map((all) => ({
    all: shuffle(all, seededRandom("reminder", seed)),
    third: Math.floor(all.length / 3),
  }));
  const made = drawn.flatMap(({ all, third }) => all.slice(0, third));
  const tested = drawn.flatMap(({ all, third }) => all.slice(third));
  const words = new Set(said.toLowerCase().match(/[^\s\x60"'“”«»,;:!?()]+(?<!\.)/g));
  const relapsed = made.filter(isRelapse);
  const find = (checks: readonly ReminderCheck[]) => {
    const found = checks.map((check) => ({ check, ...count(check, relapsed) }));
    const most = Math.max(...found.map(({ stopped }) => stopped));
    const [best] = found
      .filter(({ stopped }) => stopped === most)
      .map(({ check }) => {
        const length = check.pattern.length;
        // prefer the longest pattern that the person named, else the shortest
        const rank = isNamed(check.pattern, words) ? 1 / length : length;
        return { check, wrong: count(check, made).wrong, rank };
      })
      .toSorted(
        (a, b) => a.wrong - b.wrong || a.rank - b.rank || (a.check.pattern < b.check.pattern ? -1 : 1),
      );
    if (best === undefined) return undefined;
    const test = { madeFrom: made.length, testedOn: tested.length, ...count(best.check, tested) };
    const { relapses, stopped, others, wrong, unit } = test;
    const [least, share] = unit === "calls" ? [20, 0.005] : [5, 0.1];
    const isGood = relapses >= 2 && stopped >= 0.95 * relapses && others >= least && wrong <= share * others;
    return isGood ? { check: best.check, test } : undefined;
  };
  const ends = checksIn(relapsed.flatMap(({ calls, before }) => calls.slice(before).flat()))
    .filter(({ act, pattern }) => act === "running" && isNamed(pattern, words))
    .map(({ pattern }) => ({ act: "finishing without", pattern }) as const);
  return find(checksIn(relapsed.flatMap(({ calls, before }) => calls.slice(0, before).flat()))) ?? find(ends);
}

function count(
  check: ReminderCheck,
  talks: readonly TalkActs[],
): Omit<ReminderTest, "madeFrom" | "testedOn"> {
  const isEnd = check.act === "finishing without";
  const stops = (acts: readonly Act[]) => isMissed(check, acts) || acts.some((act) => isMeant(check, act));
  const unitsOf = ({ calls, before }: TalkActs) =>
    isEnd ? [calls.slice(0, before).flat()].filter(changesFiles) : calls.slice(0, before);
  const relapses = talks.filter(({ before }) => before !== undefined);
  const others = talks.filter(({ before }) => before === undefined).flatMap(unitsOf);
  const stopped = relapses.filter((talk) => unitsOf(talk).some(stops)).length;
  const unit = isEnd ? "conversations" : "calls";
  const wrong = others.filter(stops).length;
  return { relapses: relapses.length, stopped, others: others.length, wrong, unit };
}

/** Lists every check that stops one of these acts, each once. */
function checksIn(acts: readonly Act[]): readonly ReminderCheck[] {
  const checks = acts
    .flatMap((act) =>
      (act.kind === "running" ? commandPatterns(act.words) : pathPatterns(act.path)).map((pattern) => ({
        act: act.kind,
        pattern,
      })),
    )
    .filter(({ pattern }) => /^[^\x60\s](?:[^\x60\n]{0,98}[^\x60\s])?$/.test(pattern));
  return [...new Map(checks.map((check) => [`${check.act} ${check.pattern}`, check])).values()];
}

/** The command's first one to three words, alone and with each of its options. */
function commandPatterns(words: readonly string[]): readonly string[] {
  const single = words.filter((word) => /^[^\s*]+$/.test(word));
  const options = single.flatMap((word) => /^-[\w-]+/.exec(word) ?? []);
  const starts = startsOf(single).flatMap((plain) =>
    plain.slice(0, 3).map((_, at) => plain.slice(0, at + 1).join(" ")),
  );
  return starts.flatMap((start) => [start, ...options.map((option) => `${start} ${option}`)]);
}

/** Patterns for the file, its name, its extension, and the folders that it's in. */
function pathPatterns(path: string): readonly string[] {
  if (path.includes("*")) return [];
  const names = path.split("/");
  const name = names.at(-1) ?? "";
  const kinds = Array.from(name.matchAll(/\.\w+$/g), ([kind]) => `*${kind}`);
  return [path, name, ...kinds, ...names.slice(0, -1).map((_, at) => `${names.slice(0, at + 1).join("/")}/`)];
}

const isNamed = (pattern: string, said: ReadonlySet<string>): boolean =>
  pattern
    .toLowerCase()
    .split(" ")
    .every((word) => said.has(word) || said.has(word.replace(/^\*\.|\/$/g, "")));
