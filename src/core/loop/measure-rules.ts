import type { Context } from "../context.ts";
import { type Evaluation, gateScoreOf } from "../measure/evaluate.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import type { Place } from "../place.ts";
import { seededRandom } from "../random.ts";
import { mean } from "../mean.ts";
import { oneLine } from "../one-line.ts";
import { type ComposedSkill, compose } from "../rules/compose.ts";
import { type SearchRule, wordsOfRule } from "../rules/search-rule.ts";
import { type Pass, drawTexts } from "../rules/draw-texts.ts";
import {
  type TextResult,
  type SearchState,
  type DrawnText,
  addResults,
  endStep,
  extendSearch,
  gainOf,
  likelyRules,
  partsOfStep,
  promisedGain,
  startRules,
  valRollouts,
  wholeRules,
  worthOf,
} from "../rules/rule-search.ts";
import { stepSentence } from "../search-words.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { fieldsOf } from "../stages/misses.ts";
import { type Rolled, rollAll } from "../stages/rollout.ts";
import { editLimits } from "../stages/update.ts";
import type { GateEvidence, StepAction } from "../step-record.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Task } from "../tasks/task.ts";
import { isHandoff } from "../work/handoff.ts";
import type { GateDecision, GateInput, MeasuredOriginal, Standing } from "./gate.ts";

/** The knowledge of the gate `rules`. */
export interface SearchKnowledge {
  /** The original, which all texts are made from. */
  readonly base: Skill;
  /** Its measured score. */
  readonly baseScore: number;
  readonly rules: readonly SearchRule[];
  /** Proposals that repeat something, and where it was said: a rule's number, or undefined for the skill itself. */
  readonly repeated: readonly { readonly rule: SearchRule; readonly of?: number }[];
  readonly search: SearchState;
  /** All results so far, in the order in which they were requested. */
  readonly results: readonly TextResult[];
  /** The number of the editor's text, which is only tried at the end. */
  readonly edited?: readonly number[];
  /** The rules as they were before they were merged into the editor's passages. */
  readonly untidied?: Pick<SearchKnowledge, "rules" | "repeated">;
}

/** The original on all of val: the search's first results. */
export function startRulesGate(
  { skill, val, baseline, score, turns, proposals, isShared = false }: MeasuredOriginal,
  context: Context,
): SearchKnowledge {
  const results = resultsOf(
    baseline.rolled.map((rolled, task) => ({ rolled, task, rules: [] })),
    context,
  );
  const search = startRules({
    tasks: val.length,
    units: unitsOf(val),
    weights: val.map((task) => task.weight ?? 1),
    level: score,
    steps: turns,
    rollouts: valRollouts(proposals, { tasks: val.length, isShared }),
    isShared,
    texts: context.settings.texts,
  });
  return {
    base: skill,
    baseScore: score,
    rules: [],
    repeated: [],
    search: addResults(search, results),
    results,
  };
}

/** Continues the search with all its rules and results. The editor's text belonged to its end. */
export function goOn(
  { known }: Standing<SearchKnowledge>,
  { turns, proposals }: Pick<MeasuredOriginal, "turns" | "proposals">,
  context: Context,
): Standing<SearchKnowledge> {
  const { search, edited, untidied, ...rest } = known;
  const more = { steps: turns, rollouts: proposals * search.plan.tasks };
  const now = { ...rest, ...untidied, search: extendSearch(search, more, new Set(edited)) };
  return standingOn(now, likelyRules(now.search), context);
}

/** The original with all rules under test, so that no attempt fails for a reason that one of them already addresses. */
export function wholeText({ known }: Standing<SearchKnowledge>, context: Context) {
  const leaves = (rule: number) =>
    isUnwanted(known, rule) || seemsToHarm(known, rule) || isImproved(known, rule);
  const { skill, held } = textWith(wholeRules(known.search, leaves), known, context);
  return { skill, score: null, rules: held };
}

/** Whether a later rule words it better. Newer wordings count as better until they're measured and clearly worse. */
function isImproved({ rules, results, search }: SearchKnowledge, rule: number): boolean {
  const root = rules.find(({ number }) => number === rule)?.levelOf ?? rule;
  const isBetter = (newer: number): boolean => {
    // having fewer results than the older wording, it's believed to be worth less
    const { mean, sd } = worthOf(search, newer);
    return !isMeasured({ results }, newer) || mean + sd >= worthOf(search, rule).mean;
  };
  return rules.some(
    ({ number, levelOf }) =>
      levelOf === root && number > rule && search.open.includes(number) && isBetter(number),
  );
}

/** Whether a proposal would delete the rule. */
export const isUnwanted = ({ repeated }: SearchKnowledge, number: number): boolean =>
  repeated.some(({ rule, of }) => of === number && wordsOfRule(rule) === "");

export const seemsToHarm = (known: SearchKnowledge, rule: number): boolean =>
  isMeasured(known, rule) && worthOf(known.search, rule).mean < 0;

export function isMeasured({ results }: Pick<SearchKnowledge, "results">, rule: number): boolean {
  const rules = measured.get(results) ?? new Set(results.flatMap((one) => one.rules));
  measured.set(results, rules);
  return rules.has(rule);
}

// every rule is looked up before each step
const measured = new WeakMap<SearchKnowledge["results"], ReadonlySet<number>>();

/** A search step: val rollouts with random subsets of the open rules. Each result is evidence about every rule. */
export async function measureRules(
  { step, turn, val, standing: { known, current } }: GateInput<SearchKnowledge>,
  context: Context,
): Promise<GateDecision<SearchKnowledge>> {
  const { passes, total } = drawParts(partsOfStep(known.search, turn), context);
  const place: Place = { role: "target", step, stage: "evaluate" };
  const measured = await measurePasses(known, passes, { val, place, total }, context);
  const now = { ...measured.known, search: endStep(measured.known.search) };
  const { held } = textWith(likelyRules(now.search), now, context);
  const promise = promisedGain(now.search, held);
  const after = standingOn(now, held, context, promise.gain);
  const before = current.rules ?? [];
  const isNew = skillIdentity(after.current.skill) !== skillIdentity(current.skill);
  const joined = held.filter((rule) => !before.includes(rule));
  const left = before.filter((rule) => !held.includes(rule));
  return {
    action: actionOf(joined, left, held),
    reason: stepSentence({
      joined,
      left,
      givenUp: now.search.givenUp.length - known.search.givenUp.length,
      open: now.search.open.length,
      score: scoreWith(now, promise.gain),
      ...(held.length === 0 ? {} : { low: scoreWith(now, promise.low), high: scoreWith(now, promise.high) }),
    }),
    score: after.current.score ?? undefined,
    standing: after,
    // no candidate was accepted or rejected: the text changed, or stayed
    candidate: isNew ? after.current.skill : undefined,
    evaluation: measured.evaluation,
    evidence: evidenceOf(now, held, measured.evaluation.rolled.length),
  };
}

function actionOf(joined: readonly number[], left: readonly number[], held: readonly number[]): StepAction {
  if (joined.length > 0) return "accept_new_best";
  if (left.length === 0) return "reject";
  return held.length === 0 ? "return_to_original" : "accept";
}

/** The search's state with these rules in the text and their expected gain. */
export function standingOn(
  known: SearchKnowledge,
  rules: readonly number[],
  context: Context,
  gain?: number,
): Standing<SearchKnowledge> {
  const { skill, held } = textWith(rules, known, context);
  const score = scoreWith(known, gain ?? gainOf(known.search, held));
  const wanted = known.rules.filter(({ number }) => rules.includes(number));
  const step = Math.max(0, ...wanted.map((rule) => rule.step));
  return {
    current: { skill, score, rules: held },
    best: { skill, score, step: held.length === 0 ? 0 : step },
    known,
    isOpen: known.search.open.length > 0,
  };
}

/** The base with the rules of these numbers. */
function textWith(
  numbers: readonly number[],
  { base, rules }: SearchKnowledge,
  { settings, rehearsal }: Context,
): ComposedSkill {
  const wanted = rules.filter(({ number }) => numbers.includes(number));
  return (rehearsal?.compose ?? compose)(base, wanted, editLimits(settings));
}

/** The original's measured score plus the gain. */
const scoreWith = ({ baseScore }: SearchKnowledge, gain: number): number =>
  Math.min(Math.max(baseScore + gain, 0), 1);

/** A step's rollouts in parts; later parts use what earlier ones showed. A person answers them all in one round. */
export function drawParts(parts: readonly number[], { models }: Context) {
  const total = parts.reduce((sum, part) => sum + part, 0);
  const asksByHand = isHandoff(models.target) || isHandoff(models.judge);
  const passes = (asksByHand ? [total] : parts).map(
    (part): DrawPass =>
      (search, random) =>
        drawTexts(search, part, random),
  );
  return { passes, total };
}

export type DrawPass = (search: SearchState, random: () => number) => Pass;

/** Rolls passes one after another. Each is drawn from what is known when it begins. */
export async function measurePasses(
  known: SearchKnowledge,
  passes: readonly DrawPass[],
  { val, place, total }: { readonly val: readonly Task[]; readonly place: Place; readonly total: number },
  context: Context,
): Promise<{ readonly known: SearchKnowledge; readonly evaluation: Evaluation }> {
  const { step, stage } = place;
  const started = context.clock.now();
  context.emit({ type: "stage-start", step, stage, total });
  let now = known;
  const rolled: Rolled[] = [];
  for (const draw of passes) {
    const { search } = now;
    const pass = draw(search, seededRandom("rules", context.settings.seed, now.results.length));
    const came = await rollPass(pass, now, val, place, context);
    for (const one of came) rolled.push({ ...one.rolled, rules: one.rules });
    const results = resultsOf(came, context);
    const isCounted = context.rehearsal !== undefined && now.rules.some(context.rehearsal.isDrawn);
    now = { ...now, search: addResults(search, results, isCounted), results: [...now.results, ...results] };
  }
  const pending = rolled.filter(({ outcome }) => outcome.kind === "pending").length;
  const ms = context.clock.now() - started;
  context.emit({ type: "stage-end", step, stage, total: rolled.length, pending, ms });
  checkPendingShare(rolled, stage, context);
  return { known: now, evaluation: { rolled, pending } };
}

interface RuledRoll {
  readonly rolled: Rolled;
  readonly task: number;
  /** The rules in the text that was rolled out. */
  readonly rules: readonly number[];
  readonly drawn?: DrawnText | undefined;
}

async function rollPass(
  { texts, rolls, drawn }: Pass,
  known: SearchKnowledge,
  val: readonly Task[],
  place: Place,
  context: Context,
): Promise<readonly RuledRoll[]> {
  const composed = texts.map((text) => textWith(text, known, context));
  // each visit of a task is its own draw, whatever the text
  const visits = [...known.search.rolled];
  const rolling = rollAll(
    rolls.map(({ task, text }) => {
      const trial = visits[task] ?? 0;
      visits[task] = trial + 1;
      const plan = { split: "val", draw: { purpose: "gate", trial }, place } as const;
      return { task: val[task] as Task, skill: composed[text]?.skill ?? known.base, plan, context };
    }),
  );
  const rolled = await Promise.all(rolling);
  return rolled.map((one, at) => {
    const { task = 0, text = 0 } = rolls[at] ?? {};
    return { rolled: one, task, rules: composed[text]?.held ?? [], drawn: drawn?.[text] };
  });
}

const resultsOf = (rolls: readonly RuledRoll[], { settings }: Context): readonly TextResult[] =>
  rolls.map(({ rolled, rolled: { outcome }, task, rules, drawn }) => ({
    task,
    rules,
    drawn,
    score: gateScoreOf(outcome, settings),
    credit: creditOf(rolled, settings),
    used: outcome.kind === "scored" ? outcome.used : undefined,
  }));

/** The share of a task's checks or answer fields that are right, if it has several and a pass needs all of them. */
function creditOf({ task, outcome }: Rolled, { metric }: Context["settings"]): number | undefined {
  if (outcome.kind !== "scored" || metric !== "hard") return undefined;
  if ((outcome.checks?.length ?? 0) > 1) return outcome.soft;
  const fields = fieldsOf({ task, outcome });
  return fields.length > 1 ? mean(fields.map(({ pass }) => Number(pass))) : undefined;
}

function evidenceOf(
  { search, rules }: SearchKnowledge,
  held: readonly number[],
  rollouts: number,
): GateEvidence {
  const tested = new Set(search.open);
  return {
    rollouts,
    rules: rules
      .filter(({ number }) => tested.has(number))
      .map((rule) => {
        const { mean, sd } = worthOf(search, rule.number);
        const state = held.includes(rule.number) ? "in" : "open";
        return {
          rule: rule.number,
          state,
          points: 100 * mean,
          sd: 100 * sd,
          text: oneLine(wordsOfRule(rule), 300),
        };
      }),
  };
}
