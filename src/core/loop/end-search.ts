import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { drawConfirmation } from "../rules/draw-texts.ts";
import { ruleTokens } from "../rules/search-rule.ts";
import { type KeptRules, keptRules, partsOfStep, worthKeeping } from "../rules/rule-search.ts";
import { helpSomeGroup } from "../rules/rule-swaps.ts";
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

import { inPassages, losesLittle, passageRules, tidyEnd, withTidied } from "./tidy-end.ts";

type Input = EndInput<SearchKnowledge>;

/**
 * Ends the search. The gate `rules` tries the last proposals some more, then compares the text it would keep with the
 * original, task by task. In doubt, the original stays.
 */
export async function endSearch(input: Input, context: Context): Promise<SearchEnd<SearchKnowledge>> {
  const { standing, val, step } = input;
  const { known } = standing;
  // a rehearsal's results are simulated, so they show nothing
  const looked = context.rehearsal === undefined ? val : [];
  const handOver = (
    last: SearchKnowledge,
    { kept, promise, other }: KeptRules,
    rolled: readonly Rolled[],
  ) => {
    const after = standingOn(last, kept, context, promise);
    const { rules: held = [], score } = after.current;
    const table = makeRuleTable(last, held, looked);
    // the last results may keep other rules than the confirmed ones, whose measurements don't apply to this text
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
  const tidied = context.settings.editor ? await tidyEnd(expected, input, context) : undefined;
  const { search, results } = tried.known;
  const groups = groupsOf(looked);
  const shown = helpSomeGroup(search, results, expected.current.rules ?? [], groups);
  const draw: DrawPass = (now, random) => {
    const pass = drawConfirmation(now, random, shown);
    return tidied === undefined ? pass : withTidied(pass, tidied.number, val.length);
  };
  const confirming = tidied?.known ?? expected.known;
  const pairs = draw(confirming.search, () => 0).rolls.length;
  const { known: last, evaluation } = await measurePasses(
    confirming,
    [draw],
    { val, place, total: pairs },
    context,
  );
  const end = keptRules(last.search, shown);
  if (tidied === undefined) return handOver(last, end, evaluation.rolled);
  const { number, passages } = tidied;
  const came = last.results.slice(confirming.results.length);
  const isTidy = losesLittle(number, came, groups);
  const named = (rules: readonly number[]) => {
    const own = rules.filter((rule) => rule !== number);
    return isTidy ? passageRules(own, passages) : own;
  };
  const kept = named(end.kept);
  const other = end.other && { ...end.other, kept: named(end.other.kept) };
  // if it's the text in passages, its results apply
  const rolled = evaluation.rolled
    .filter(({ rules = [] }) => rules.includes(number) === isTidy)
    .map((one) => ({ ...one, rules: named(one.rules ?? []) }));
  return handOver(isTidy ? inPassages(last, passages) : last, { ...end, kept, other }, rolled);
}

/** The text that isn't offered, compared with the one that is. */
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
