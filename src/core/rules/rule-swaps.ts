import { clamp } from "./rule-model.ts";
import { mean } from "../mean.ts";
import { seededRandom } from "../random.ts";
import { type SearchState, type TextResult, gainOf } from "./rule-search.ts";
import type { RuleSwaps } from "./rule-table.ts";
import { type SwappedText, excessOf, swapTexts } from "./swap-texts.ts";
import {
  type RandomTexts,
  aroundTask,
  gatherTexts,
  residuals,
  partsWith,
  shareWith,
} from "./random-texts.ts";

const draws = 1_999;
/** There are many pairs, so each needs a small p. */
const pairDraws = 9_999;
/** Error rates if there's nothing to find: for the pairs of a text, and for the groups of each of its rules. */
const [pairLevel, groupLevel] = [0.05, 0.02];

interface SwapPlan {
  /** The rules of the offered text. */
  readonly held: readonly number[];
  /** For each task; empty for none. */
  readonly groups: readonly string[];
}

/** A randomized experiment per open rule: chance put it into some texts of a part, and the other texts are its control. */
export function swapRules(
  search: SearchState,
  results: readonly TextResult[],
  { held, groups }: SwapPlan,
): ReadonlyMap<number, RuleSwaps> {
  const all = gatherTexts(search, results);
  const pairs = findInteractions(all, held);
  return new Map(
    search.open.map((rule): [number, RuleSwaps] => {
      const found = swapRule(all, rule, groups);
      if (!held.includes(rule)) return [rule, found];
      const own = pairs.filter(({ changes }) => changes.has(rule));
      const without = 100 * withOthers(search, rule, own);
      const both = own
        .filter((pair) => isOneEnough(search, pair))
        .flatMap(({ changes }) => [...changes.keys()]);
      const alike = both.filter((one) => one !== rule);
      return [rule, { ...found, without, ...(alike.length > 0 && { alike }) }];
    }),
  );
}

/** The rules that help some group of tasks beyond chance. */
export function helpSomeGroup(
  search: SearchState,
  results: readonly TextResult[],
  rules: readonly number[],
  groups: readonly string[],
): ReadonlySet<number> {
  if (groups.every((name) => name === "")) return new Set();
  const all = gatherTexts(search, results);
  const helps = (rule: number) =>
    swapRule(all, rule, groups).groups?.some(({ points }) => points > 0) === true;
  return new Set(rules.filter(helps));
}

/** One rule, on all tasks and on each group of them. */
function swapRule(all: RandomTexts, rule: number, groups: readonly string[]): RuleSwaps {
  const parts = partsWith(all, [rule]);
  if (parts.length === 0) return {};
  const { search, rows } = all;
  const names = [...new Set(groups)].filter((name) => name !== "");
  const textsWith = (values: readonly number[]) =>
    parts.map((texts) =>
      texts.map((text): SwappedText => {
        // the first sum covers all tasks
        const adds = new Float64Array(1 + names.length);
        for (const at of text.rows)
          for (const place of new Set([0, 1 + names.indexOf(groups[rows[at]?.task ?? -1] ?? "")]))
            adds[place] = (adds[place] as number) + (values[at] as number);
        return { isIn: text.rules.includes(rule), adds };
      }),
    );
  const left = textsWith(residuals(all, rule));
  const [p, ...ps] = swapTexts(left, draws, seededRandom("swap", rule));
  const isShown = passHolm(ps, groupLevel);
  if (!isShown.includes(true)) return { p };
  const had = textsWith(aroundTask(all, ({ rules }) => Number(rules.includes(rule))));
  const worth = gainOf(search, [rule]);
  const shown = names.flatMap((name, at) => {
    if (isShown[at] !== true) return [];
    const [came, times] = [excessOf(left, at + 1), excessOf(had, at + 1)];
    const beyond = came.sum / times.sum - worth;
    // shrunk towards the rule's worth, since results that pass were partly lucky
    const share = Math.max(1 - came.variance / (times.sum * beyond) ** 2, 0);
    return [{ name, points: 100 * clamp(worth + share * beyond, -1, 1) }];
  });
  return { p, groups: shown };
}

/** Two rules of the text whose worths don't add up. */
interface Interaction {
  readonly p: number;
  /** The gain of both in one text, beyond their sum. */
  readonly more: number;
  /** How much the worth of each changes if the other is always present, instead of sometimes as in the search. */
  readonly changes: ReadonlyMap<number, number>;
}

/** A rule's worth, as a share of the score, in a text that always has the others of these pairs. */
const withOthers = (search: SearchState, rule: number, pairs: readonly Interaction[]): number =>
  pairs.reduce((sum, { changes }) => sum + (changes.get(rule) as number), gainOf(search, [rule]));

/** With the other in the text, one of them adds less than half of what it adds alone. */
const isOneEnough = (search: SearchState, pair: Interaction): boolean =>
  [...pair.changes.keys()].some((rule) => withOthers(search, rule, [pair]) < -pair.more);

/** The pairs that pass: with one in the text, the other adds more or less than without it. */
function findInteractions(all: RandomTexts, held: readonly number[]): readonly Interaction[] {
  const left = residuals(all);
  const tried = held.flatMap((one, at) =>
    held.slice(at + 1).flatMap((other) => swapPair(all, left, [one, other])),
  );
  const passed = passHolm(
    tried.map(({ p }) => p),
    pairLevel,
  );
  return tried.filter((_, at) => passed[at]);
}

function swapPair(all: RandomTexts, left: readonly number[], [one, other]: readonly [number, number]) {
  const parts = partsWith(all, [one, other]);
  if (parts.length === 0) return [];
  let size = 0;
  const texts = parts.map((own) => {
    const [share, otherShare] = [shareWith(own, one), shareWith(own, other)];
    return own.map(({ rules, rows }): SwappedText => {
      const isIn = rules.includes(one);
      const turn = Number(rules.includes(other)) - otherShare;
      size += rows.length * (turn * (Number(isIn) - share)) ** 2;
      return { isIn, adds: Float64Array.of(turn * rows.reduce((sum, at) => sum + (left[at] as number), 0)) };
    });
  });
  const [p = 1] = swapTexts(texts, pairDraws, seededRandom("swap", one, other));
  const more = excessOf(texts, 0).sum / size;
  const change = (rule: number, next: number) => more * (1 - shareNextTo(parts, rule, next));
  const changes = new Map([
    [one, change(one, other)],
    [other, change(other, one)],
  ]);
  return [{ p, more, changes }];
}

/** The share of texts with the other rule, weighted by how much each part says about this one. */
function shareNextTo(parts: RandomTexts["parts"], rule: number, other: number): number {
  const seen = parts.map((texts) => texts.length * shareWith(texts, rule) * (1 - shareWith(texts, rule)));
  const had = parts.map((texts, at) => (seen[at] as number) * shareWith(texts, other));
  return mean(had) / mean(seen);
}

/** For each of several tests, whether it passes (Holm). */
function passHolm(ps: readonly number[], level: number): readonly boolean[] {
  const order = [...ps.keys()].toSorted((a, b) => (ps[a] as number) - (ps[b] as number));
  const first = order.findIndex((at, rank) => (ps[at] as number) > level / (ps.length - rank));
  const passed = new Set(first < 0 ? order : order.slice(0, first));
  return ps.map((_, at) => passed.has(at));
}
