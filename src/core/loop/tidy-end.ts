import type { Context } from "../context.ts";
import { signFlipP } from "../gate/claim/sign-flip.ts";
import { leaksOf } from "../guard/leak-index.ts";
import { mean } from "../mean.ts";
import type { Place } from "../place.ts";
import type { RulePassage } from "../prompts/editor.ts";
import type { Pass } from "../rules/draw-texts.ts";
import { type TextResult, openRules } from "../rules/rule-search.ts";
import { type SearchRule, ruleFile, ruleTokens, wordsOfRule } from "../rules/search-rule.ts";
import { mainText } from "../skill/skill.ts";
import { askEditor } from "../stages/ask-editor.ts";
import { contractSection, contractsOf } from "../stages/optimizer-text.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import type { EndInput, Standing } from "./gate.ts";
import { type SearchKnowledge, standingOn } from "./measure-rules.ts";

/** A person can read fewer rules than this at a glance. */
const fewestRules = 5;

/** The kept rules in the editor's passages. */
export interface TidyEnd {
  /** With one more rule, which represents the whole tidied text while it's measured. */
  readonly known: SearchKnowledge;
  readonly number: number;
  readonly passages: readonly RulePassage[];
}

/** Asks the editor, if enough rules are kept. Undefined if its text isn't usable; then the rules keep their own words. */
export async function tidyEnd(
  { known, current: { skill, rules: held = [] } }: Standing<SearchKnowledge>,
  { splits, step }: EndInput<SearchKnowledge>,
  context: Context,
): Promise<TidyEnd | undefined> {
  const isAdded = ({ change, ...rule }: SearchRule) =>
    change.kind === "edit" &&
    (change.edit.op === "append" || change.edit.op === "insert_after") &&
    ruleFile({ ...rule, change }, skill) === skill.main;
  const added = known.rules.filter((rule) => held.includes(rule.number) && isAdded(rule));
  if (added.length < fewestRules) return undefined;
  const others = held.filter((number) => added.every((rule) => rule.number !== number));
  const place: Place = { role: "optimizer", step, stage: "confirm" };
  const written = await askEditor(
    {
      skill: standingOn(known, others, context).current.skill,
      rules: added.map((rule) => ({ id: String(rule.number), text: wordsOfRule(rule) })),
      contracts: contractSection(splits.train),
      guard: { skill, leaks: leaksOf(splits), contracts: contractsOf(splits.train) },
      place,
    },
    context,
  );
  if (!written.ok) return undefined;
  const { passages } = written;
  const tidied = inPassages(known, passages);
  const wanted = passageRules(held, passages);
  const { current } = standingOn(tidied, wanted, context);
  const [before, after] = [mainText(skill), mainText(current.skill)];
  const isPlaced = wanted.every((number) => current.rules?.includes(number));
  if (!isPlaced || after === before || estimateTokens(after) > estimateTokens(before)) return undefined;
  const number = known.rules.length + known.repeated.length + 1;
  const rule: SearchRule = {
    number,
    step,
    change: { kind: "text", text: after, holds: held },
    evidence: [],
  };
  const search = openRules(known.search, [{ rule: number, tokens: ruleTokens(rule, skill) }]);
  return { passages, number, known: { ...known, rules: [...known.rules, rule], search, edited: [number] } };
}

/** The rules in the words of their passages. If several share a passage, the first one gets it and the others repeat it. */
export function inPassages(known: SearchKnowledge, passages: readonly RulePassage[]): SearchKnowledge {
  const firsts = firstRules(passages);
  const members = (first: number) => known.rules.filter(({ number }) => firsts.get(number) === first);
  const rules = known.rules.flatMap((rule): SearchRule[] => {
    const first = firsts.get(rule.number);
    const passage = passages.find((one) => one.rules.includes(String(rule.number)));
    if (first === undefined || passage === undefined || rule.change.kind !== "edit") return [rule];
    if (first !== rule.number) return [];
    const { op, target, content } = passage;
    const evidence = [...new Set(members(first).flatMap((one) => one.evidence))];
    const edit = { ...rule.change.edit, op, target, content, evidence };
    return [{ ...rule, evidence, change: { kind: "edit", edit } }];
  });
  const merged = known.rules.flatMap((rule) => {
    const of = firsts.get(rule.number);
    return of === undefined || of === rule.number ? [] : [{ rule, of }];
  });
  const untidied = { rules: known.rules, repeated: known.repeated };
  return { ...known, rules, repeated: [...known.repeated, ...merged], untidied };
}

/** The numbers of these rules once they're in passages. */
export function passageRules(rules: readonly number[], passages: readonly RulePassage[]): readonly number[] {
  const firsts = firstRules(passages);
  return [...new Set(rules.map((rule) => firsts.get(rule) ?? rule))].toSorted((a, b) => a - b);
}

const firstRules = (passages: readonly RulePassage[]): ReadonlyMap<number, number> =>
  new Map(
    passages.flatMap(({ rules }) => {
      const numbers = rules.map(Number);
      return numbers.map((number) => [number, Math.min(...numbers)] as const);
    }),
  );

/** The most pairs of the kept and the tidied text, if there are enough tasks. */
const mostPairs = 40;

/** Adds the tidied text next to the one in its own words. */
export function withTidied(pass: Pass, number: number, tasks: number): Pass {
  const [kept = []] = pass.texts;
  if (kept.length === 0) return pass;
  const own = pass.rolls.filter(({ text }) => text === 0);
  const isRolled = new Set(own.map(({ task }) => task));
  const more = Array.from({ length: tasks }, (_, task) => ({ task, text: 0 }))
    .filter(({ task }) => !isRolled.has(task))
    .slice(0, Math.max(0, mostPairs - own.length));
  const tidied = [...own, ...more].map(({ task }) => ({ task, text: pass.texts.length }));
  return { texts: [...pass.texts, [...kept, number]], rolls: [...pass.rolls, ...more, ...tidied] };
}

/** The expected difference between two wordings of the same rules before anything is measured, as a share of the score. */
const rewordingSd = 0.02;

/** Whether the tidied text is expected to lose less than a point, and no group of tasks is shown to fall. */
export function losesLittle(
  tidied: number,
  results: readonly TextResult[],
  groups: readonly string[],
): boolean {
  const held = results.find(({ rules }) => rules.includes(tidied))?.rules ?? [];
  const texts = [held, held.filter((rule) => rule !== tidied)].map(String);
  const pairs = [...Map.groupBy(results, ({ task }) => task)].flatMap(([task, own]) => {
    const [now = [], before = []] = texts.map((text) =>
      own.flatMap(({ score, rules }) => (score !== null && String(rules) === text ? [score] : [])),
    );
    return now.length === 0 || before.length === 0 ? [] : [{ task, by: mean(now) - mean(before) }];
  });
  const middle = mean(pairs.map(({ by }) => by));
  // at least as many as if one task had moved all the way
  const squares = pairs.reduce((sum, { by }) => sum + (by - middle) ** 2, 1);
  const variance = squares / Math.max(pairs.length, 1) ** 2;
  const expected = (middle * rewordingSd ** 2) / (rewordingSd ** 2 + variance);
  const named = [...Map.groupBy(pairs, ({ task }) => groups[task] ?? "")].filter(([name]) => name !== "");
  const falls = named.some(([, own]) => signFlipP(own.map(lostPoints)) * named.length < 0.05);
  return expected > -0.01 && !falls;
}

/** Whole points, because the exact test uses integers. */
const lostPoints = ({ by }: { readonly by: number }): number => -Math.round(100 * by);
