import type { Context } from "../../context.ts";
import { hashJson } from "../../canonical.ts";
import { flipRate } from "../../gate/flip-rate.ts";
import { gateScoreOf } from "../../measure/evaluate.ts";
import { checkPendingShare } from "../../measure/pending-share.ts";
import type { Place } from "../../place.ts";
import { seededRandom } from "../../random.ts";
import { skillIdentity } from "../../skill/hash.ts";
import type { Skill } from "../../skill/skill.ts";
import { rollAll } from "../../stages/rollout.ts";
import { timed } from "../../stages/timed.ts";
import { unitsOf } from "../../tasks/clusters.ts";
import type { Task } from "../../tasks/task.ts";
import { type ModelPlan, fitRules, startModel } from "../fit-rules.ts";
import { type ColumnResult, addColumns, addScores } from "../rule-model.ts";
import { type PrunePass, drawPass } from "./draw-pass.ts";
import { type FoundRules, findNeeded, neededFrom, surelyNeeded } from "../find-needed.ts";
import type { SkillPart } from "./find-rules.ts";
import { removeRules } from "./remove-rules.ts";

export interface SiftPlan {
  readonly skill: Skill;
  /** The rules in question: each rollout leaves out a random subset of them. */
  readonly rules: readonly SkillPart[];
  readonly val: readonly Task[];
  /** Distinct texts of a pass. */
  readonly texts: number;
}

/** The needed rules, and the evidence about each rule from the rollouts. */
export interface Sifted extends Omit<FoundRules, "isAtBest"> {
  /** How often two rollouts of one task differ when their texts had everything that it's known to need. */
  readonly flipRate: number;
}

export const prunePlace: Place = { role: "target", step: 0, stage: "evaluate" };

/** Passes whose texts are drawn together; results are examined after them. */
const passesPerLook = 3;

/** More for few tasks, where a rule may affect only one or two. */
export const passesFor = (tasks: number): number =>
  passesPerLook * Math.ceil(Math.min(6 + 720 / tasks, 45) / passesPerLook);

/**
 * Rolls val out with texts that leave out most of the rules in question, and finds the rules that are missed. Every
 * rollout is evidence about every rule. If two rules say the same, each is missed when the other is out.
 */
export async function siftRules(plan: SiftPlan, context: Context): Promise<Sifted> {
  const { skill, rules, val, texts } = plan;
  const name = hashJson([skillIdentity(skill), rules.map(({ id }) => id)]);
  const model = { units: unitsOf(val), weights: val.map(({ weight = 1 }) => weight) };
  const size = { rules: rules.length, tasks: val.length, texts, ...model };
  const random = (pass: number) => seededRandom("prune", context.settings.seed, name, pass);
  const roll = (passes: readonly PrunePass[], from: number) => rollPasses(plan, passes, from, context);
  return timed("evaluate", 0, passesFor(val.length) * val.length, () => sift(size, random, roll), context);
}

/** The same with any way to roll: a fold over passes whose texts are fixed before their first rollout. */
export async function sift(
  size: ModelPlan & { readonly rules: number; readonly texts: number },
  random: (pass: number) => () => number,
  roll: (passes: readonly PrunePass[], from: number) => Promise<readonly PassScores[]>,
): Promise<Sifted> {
  const { rules, tasks } = size;
  const results: ColumnResult[] = [];
  let model = addColumns(startModel(size), Array<string>(rules).fill(""));
  let known: ReadonlySet<number> = new Set();
  for (let from = 0; from < passesFor(tasks) && known.size < rules; from += passesPerLook) {
    const drawn = Array.from({ length: passesPerLook }, (_, nth) =>
      drawPass(size, known, random(from + nth)),
    );
    const scores = await roll(drawn, from);
    const added = drawn.flatMap((pass, nth) => resultsOf(pass, from + nth, scores[nth] ?? []));
    results.push(...added);
    model = fitRules(addScores(model, added));
    known = new Set(findNeeded(model, surelyNeeded).needed);
  }
  const { isAtBest, ...found } = findNeeded(model, neededFrom);
  const alike = [...Map.groupBy(results.filter(isAtBest), ({ task }) => task).values()].map((own) =>
    own.map(({ score }) => score),
  );
  return { ...found, flipRate: flipRate(alike) };
}

/** The scores of a pass by task; null: missing. */
type PassScores = readonly (number | null)[];

const resultsOf = ({ texts, textOf }: PrunePass, draw: number, scores: PassScores): readonly ColumnResult[] =>
  textOf.flatMap((text, task) => {
    const [columns, score] = [texts[text] ?? [], scores[task] ?? null];
    return score === null ? [] : [{ task, columns, score, draw }];
  });

async function rollPasses(
  { skill, rules, val }: SiftPlan,
  passes: readonly PrunePass[],
  from: number,
  context: Context,
): Promise<readonly PassScores[]> {
  const rolls = passes.flatMap((pass, nth) => {
    const skills = pass.texts.map((kept) =>
      removeRules(
        skill,
        rules.filter((_, rule) => !kept.includes(rule)),
      ),
    );
    const plan = { split: "val", draw: { purpose: "prune", trial: from + nth }, place: prunePlace } as const;
    return val.map((task, at) => ({ task, skill: skills[pass.textOf[at] ?? 0] ?? skill, plan, context }));
  });
  const rolled = await Promise.all(rollAll(rolls));
  checkPendingShare(rolled, prunePlace.stage, context);
  return passes.map((_, nth) =>
    rolled
      .slice(nth * val.length, (nth + 1) * val.length)
      .map(({ outcome }) => gateScoreOf(outcome, context.settings)),
  );
}
