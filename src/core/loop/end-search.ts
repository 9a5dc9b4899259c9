import type { Context } from "../context.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { mean } from "../mean.ts";
import type { Place } from "../place.ts";
import { type Pass, drawConfirmation } from "../rules/draw-texts.ts";
import { type SearchRule, wordsOfRule, ruleTokens } from "../rules/search-rule.ts";
import { chanceBelow } from "../rules/rule-model.ts";
import { type RuleResult, keptRules, openRules, partsOfStep, worthKeeping } from "../rules/rule-search.ts";
import type { RuleTable } from "../rules/rule-table.ts";
import { mainText } from "../skill/skill.ts";
import { writeEdited } from "../stages/edit-text.ts";
import { contractSection, contractsOf } from "../stages/optimizer-text.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { Task } from "../tasks/task.ts";
import { makeRuleTable } from "./make-rule-table.ts";
import { type DrawPass, drawParts, measurePasses, standingOn } from "./measure-rules.ts";
import type { RulesKnowledge, Standing } from "./standing.ts";

export interface SearchEnd {
  readonly standing: Standing;
  /** What each rule is worth, with the gate `rules`. */
  readonly rules?: RuleTable;
  /** The kept text on val, beside the original; empty where the original stays or that text was not rolled by itself. */
  readonly confirmed: readonly Rolled[];
  /** Whether the gate's own measurements show that the target varies. */
  readonly isNoisy: boolean;
}

export interface EndInput {
  readonly standing: Standing;
  readonly train: readonly Task[];
  readonly val: readonly Task[];
  readonly leaks: LeakIndex;
  /** The last one. */
  readonly step: number;
}

/**
 * What the search hands over. The gate `rules` tries the last proposals some more, then the text that it would keep against the
 * original, task by task; in doubt the original stays.
 */
export async function endSearch(input: EndInput, context: Context): Promise<SearchEnd> {
  const { standing, val, step } = input;
  const { gate } = standing;
  if (gate.kind !== "rules") return { standing, confirmed: [], isNoisy: false };
  const handOver = (last: RulesKnowledge, kept: readonly number[], rolled: readonly Rolled[]): SearchEnd => {
    const after = standingOn(last, kept, context);
    const { held } = after.gate;
    // the last results may keep other rules than those that were confirmed, and what they did is not this text's
    const isKept = ({ rules = [] }: Rolled) => held.length > 0 && rules.join() === held.join();
    return {
      standing: after,
      rules: makeRuleTable(after.gate),
      confirmed: rolled.filter(isKept),
      isNoisy: variesIn(last.results),
    };
  };
  if (gate.search.open.length + gate.search.builtIn.length === 0) return handOver(gate, [], []);
  const place: Place = { role: "target", step, stage: "confirm" };
  const { passes, total } = drawParts(partsOfStep(gate.search, gate.search.plan.steps), context);
  const tried = await measurePasses(gate, passes, { val, place, total }, context);
  const kept = standingOn(tried.gate, worthKeeping(tried.gate.search), context);
  const edited = context.settings.editor ? await openEdited(kept, input, context) : undefined;
  const draw: DrawPass = (search, random) =>
    withEdited(drawConfirmation(search, random), edited?.rule.number);
  const confirming = edited?.gate ?? kept.gate;
  const pairs = draw(confirming.search, () => 0).rolls.length;
  const { gate: last, evaluation } = await measurePasses(
    confirming,
    [draw],
    { val, place, total: pairs },
    context,
  );
  const rules = keptRules(last.search).filter((rule) => rule !== edited?.rule.number);
  const isEdited =
    rules.length > 0 &&
    edited !== undefined &&
    losesLittle(edited.rule.number, last.results.slice(confirming.results.length));
  return handOver(last, isEdited ? [...rules, edited.rule.number] : rules, evaluation.rolled);
}

/** The editor's text as one more rule, which holds all the others; undefined where it cannot be used. */
async function openEdited(
  { gate, current }: Standing & { readonly gate: RulesKnowledge },
  { train, leaks, step }: EndInput,
  context: Context,
): Promise<{ readonly gate: RulesKnowledge; readonly rule: SearchRule } | undefined> {
  const kept = gate.rules
    .filter(({ number }) => gate.held.includes(number))
    .map((rule) => ({ id: String(rule.number), text: wordsOfRule(rule) }));
  const guard = { skill: current.skill, leaks, contracts: contractsOf(train) };
  const place: Place = { role: "optimizer", step, stage: "confirm" };
  const written = await writeEdited(current.skill, kept, contractSection(train), guard, place, context);
  if (!written.ok) return undefined;
  const number = gate.rules.length + gate.repeated.length + 1;
  const change = { kind: "text", text: mainText(written.candidate), holds: gate.held } as const;
  const rule: SearchRule = { number, step, change, evidence: [] };
  const search = openRules(gate.search, [{ rule: number, tokens: ruleTokens(rule, current.skill) }]);
  return { rule, gate: { ...gate, rules: [...gate.rules, rule], search } };
}

/** The same tasks with the editor's text as well. */
function withEdited(pass: Pass, edited: number | undefined): Pass {
  const [kept = []] = pass.texts;
  if (edited === undefined || kept.length === 0) return pass;
  return {
    texts: [...pass.texts, [...kept, edited]],
    rolls: pass.rolls.flatMap((roll) => (roll.text === 0 ? [roll, { ...roll, text: 2 }] : [roll])),
  };
}

/** How far a text with the same rules in other words is from the first, before anything is measured, as a share of the score. */
const rewordingSd = 0.02;

/** The editor's text stays where the chance that it loses more than two points is a fifth at most. */
function losesLittle(edited: number, results: readonly RuleResult[]): boolean {
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

/** The same text came to different scores on the same task. */
function variesIn(results: readonly RuleResult[]): boolean {
  const first = new Map<string, number>();
  return results.some(({ task, rules, score }) => {
    if (score === null) return false;
    const place = `${task} ${rules.join(" ")}`;
    const known = first.get(place);
    first.set(place, known ?? score);
    return known !== undefined && known !== score;
  });
}
