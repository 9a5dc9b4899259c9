import type { Context } from "../context.ts";
import { leaksOf } from "../guard/leak-index.ts";
import { mean } from "../mean.ts";
import type { Place } from "../place.ts";
import { type Pass, drawConfirmation } from "../rules/draw-texts.ts";
import { type SearchRule, wordsOfRule, ruleTokens } from "../rules/search-rule.ts";
import { chanceBelow } from "../gate/claim/normal.ts";
import {
  type KeptRules,
  type TextResult,
  keptRules,
  openRules,
  partsOfStep,
  worthKeeping,
} from "../rules/rule-search.ts";
import { helpSomeGroup } from "../rules/rule-swaps.ts";
import { mainText } from "../skill/skill.ts";
import { writeEdited } from "../stages/edit-text.ts";
import { contractSection, contractsOf } from "../stages/optimizer-text.ts";
import type { Rolled } from "../stages/rollout.ts";
import { confirmedSentence, secondTextSentence } from "../search-words.ts";
import type { EndInput, SearchEnd, SecondText, Standing } from "./gate.ts";
import { groupsOf, makeRuleTable } from "./make-rule-table.ts";
import {
  type DrawPass,
  type SearchKnowledge,
  drawParts,
  measurePasses,
  standingOn,
} from "./measure-rules.ts";

type Input = EndInput<SearchKnowledge>;

/**
 * What the search hands over. The gate `rules` tries the last proposals some more, then the text that it would keep against the
 * original, task by task; in doubt the original stays.
 */
export async function endSearch(input: Input, context: Context): Promise<SearchEnd<SearchKnowledge>> {
  const { standing, val, step } = input;
  const { known } = standing;
  const handOver = (
    last: SearchKnowledge,
    { kept, promise, other }: KeptRules,
    rolled: readonly Rolled[],
  ) => {
    const after = standingOn(last, kept, context, promise);
    const { rules: held = [], score } = after.current;
    // a rehearsal's results are drawn, so they show nothing
    const table = makeRuleTable(last, held, context.rehearsal === undefined ? val : []);
    // the last results may keep other rules than those that were confirmed, and what they did is not this text's
    const isKept = ({ rules = [] }: Rolled) => held.length > 0 && rules.join() === held.join();
    return {
      standing: after,
      rules: { table, kept: last.rules.filter(({ number }) => held.includes(number)) },
      confirmed: rolled.filter(isKept),
      ...(other && { other: secondText(last, after, other, context) }),
      sentence: confirmedSentence(
        { kept: held.length, tried: table.rules.length },
        last.baseScore,
        score ?? last.baseScore,
      ),
    };
  };
  if (standing.isOpen !== true) return handOver(known, { kept: [], promise: 0 }, []);
  const place: Place = { role: "target", step, stage: "confirm" };
  const { passes, total } = drawParts(partsOfStep(known.search, known.search.plan.steps), context);
  const tried = await measurePasses(known, passes, { val, place, total }, context);
  const expected = standingOn(tried.known, worthKeeping(tried.known.search), context);
  const edited = context.settings.editor ? await openEdited(expected, input, context) : undefined;
  const shown =
    context.rehearsal === undefined
      ? helpSomeGroup(tried.known.search, tried.known.results, expected.current.rules ?? [], groupsOf(val))
      : undefined;
  const draw: DrawPass = (search, random) =>
    withEdited(drawConfirmation(search, random, shown), edited?.rule.number);
  const confirming = edited?.known ?? expected.known;
  const pairs = draw(confirming.search, () => 0).rolls.length;
  const { known: last, evaluation } = await measurePasses(
    confirming,
    [draw],
    { val, place, total: pairs },
    context,
  );
  const end = keptRules(last.search, shown);
  const rules = end.kept.filter((rule) => rule !== edited?.rule.number);
  const isEdited =
    rules.length > 0 &&
    edited !== undefined &&
    losesLittle(edited.rule.number, last.results.slice(confirming.results.length));
  const kept = isEdited ? [...rules, edited.rule.number] : rules;
  return handOver(last, { ...end, kept }, evaluation.rolled);
}

/** The text that isn't offered, next to the one that is. */
function secondText(
  known: SearchKnowledge,
  { current: offered }: Standing<SearchKnowledge>,
  { name, kept, promise }: NonNullable<KeptRules["other"]>,
  context: Context,
): SecondText {
  const { current } = standingOn(known, kept, context, promise);
  const factsOf = ({ rules = [], score }: typeof current) => ({
    rules: rules.length,
    score: score ?? known.baseScore,
    tokens: known.rules.reduce(
      (sum, rule) => sum + (rules.includes(rule.number) ? ruleTokens(rule, known.base) : 0),
      0,
    ),
  });
  const facts = factsOf(current);
  return {
    name,
    skill: current.skill,
    ...facts,
    sentence: secondTextSentence(name, facts, factsOf(offered)),
  };
}

/** The editor's text as one more rule, which holds all the others; undefined where it cannot be used. */
async function openEdited(
  { known, current: { skill, rules: held = [] } }: Standing<SearchKnowledge>,
  { splits, step }: Input,
  context: Context,
): Promise<{ readonly known: SearchKnowledge; readonly rule: SearchRule } | undefined> {
  const kept = known.rules
    .filter(({ number }) => held.includes(number))
    .map((rule) => ({ id: String(rule.number), text: wordsOfRule(rule) }));
  const guard = { skill, leaks: leaksOf(splits), contracts: contractsOf(splits.train) };
  const place: Place = { role: "optimizer", step, stage: "confirm" };
  const written = await writeEdited(skill, kept, contractSection(splits.train), guard, place, context);
  if (!written.ok) return undefined;
  const number = known.rules.length + known.repeated.length + 1;
  const change = { kind: "text", text: mainText(written.candidate), holds: held } as const;
  const rule: SearchRule = { number, step, change, evidence: [] };
  const search = openRules(known.search, [{ rule: number, tokens: ruleTokens(rule, skill) }]);
  return { rule, known: { ...known, rules: [...known.rules, rule], search, edited: [number] } };
}

/** The same tasks with the editor's text as well. */
function withEdited(pass: Pass, edited: number | undefined): Pass {
  const [kept = []] = pass.texts;
  if (edited === undefined || kept.length === 0) return pass;
  return {
    texts: [...pass.texts, [...kept, edited]],
    rolls: pass.rolls.flatMap((roll) =>
      roll.text === 0 ? [roll, { ...roll, text: pass.texts.length }] : [roll],
    ),
  };
}

/** How far a text with the same rules in other words is from the first, before anything is measured, as a share of the score. */
const rewordingSd = 0.02;

/** The editor's text stays where the chance that it loses more than two points is a fifth at most. */
function losesLittle(edited: number, results: readonly TextResult[]): boolean {
  const byTask = Map.groupBy(
    results.filter(({ score, rules }) => score !== null && rules.length > 0),
    ({ task }) => task,
  );
  const differences = [...byTask.values()].flatMap((own) => {
    const [now, before] = [true, false].map((isEdited) =>
      own.flatMap(({ score, rules }) => (rules.includes(edited) === isEdited ? [score ?? 0] : [])),
    ) as [number[], number[]];
    return now.length === 0 || before.length === 0 ? [] : [mean(now) - mean(before)];
  });
  const middle = mean(differences);
  // no fewer than if one task had moved by all of it
  const squares = differences.reduce((sum, one) => sum + (one - middle) ** 2, 1);
  const variance = squares / Math.max(differences.length, 1) ** 2;
  const share = rewordingSd ** 2 / (rewordingSd ** 2 + variance);
  return chanceBelow((-0.02 - share * middle) / Math.sqrt(share * variance)) <= 0.2;
}
