import type { Context } from "../context.ts";
import { descriptionPrompts } from "../prompts/description.ts";
import type { TrainSettings } from "../settings.ts";
import { findFrontmatter } from "../skill/regions.ts";
import { type Skill, mainText, singleFileSkill } from "../skill/skill.ts";
import { descriptionDocument } from "../skill/surface.ts";
import type { Standing } from "../loop/gate.ts";
import { installedName } from "../tasks/agent-environment.ts";
import type { Environment } from "../tasks/environment.ts";
import type { StepOutcome } from "../loop/step-outcome.ts";
import { type TrainPlan, type TrainResult, trainSkill } from "../loop/train.ts";
import { readDescription, withDescription } from "./description.ts";
import { type TriggerFigures, type TriggerReport, countTriggers } from "./trigger-figures.ts";

export interface DescriptionPlan extends TrainPlan {
  /** The skills installed along with it. */
  readonly neighbours: readonly Skill[];
}

/**
 * Trains only the description: the ordinary loop treats it as the whole skill. Everything that leaves the loop is the
 * complete skill again, so its body can't change.
 */
export async function trainDescription(plan: DescriptionPlan, context: Context): Promise<TrainResult> {
  const { skill, onStep, neighbours } = plan;
  const { environment, settings } = context;
  const view = viewDescription({ skill, environment, settings, neighbours });
  const whole = completing(skill);
  const wholeStanding = ({ current, best, ...more }: Standing): Standing => ({
    ...more,
    current: { ...current, skill: whole(current.skill) },
    best: { ...best, skill: whole(best.skill) },
  });
  const judged = new Map<number, TriggerFigures>();
  const result = await trainSkill(
    {
      ...plan,
      skill: view.skill,
      async onStep(record: StepOutcome) {
        const { step, candidate, evaluation, standing } = record;
        if (evaluation !== undefined) judged.set(step, countTriggers(evaluation.rolled));
        await onStep?.({
          ...record,
          standing: wholeStanding(standing),
          ...(candidate === undefined ? {} : { candidate: whole(candidate) }),
        });
      },
    },
    { ...context, environment: view.environment, settings: view.settings },
  );
  return {
    ...result,
    ...wholeStanding(result),
    original: skill,
    ...(result.oneShot && { oneShot: { ...result.oneShot, skill: whole(result.oneShot.skill) } }),
    triggers: reportTriggers(
      result,
      // if rules are measured, a step's rollouts use many texts
      result.rules === undefined ? judged.get(result.best.step) : confirmedFigures(result),
    ),
  };
}

export interface DescriptionView {
  readonly skill: Skill;
  readonly environment: Environment;
  readonly settings: TrainSettings;
}

/** The loop's view: the description as a document of its own, with instructions that say so. */
export function viewDescription({
  skill,
  environment,
  settings,
  neighbours,
}: DescriptionView & { readonly neighbours: readonly Skill[] }): DescriptionView {
  const text = mainText(skill);
  const whole = completing(skill);
  const trained = {
    name: installedName(skill),
    body: text.slice(findFrontmatter(text)?.end ?? 0),
    neighbours: neighbours.map((one) => ({ name: installedName(one), description: readDescription(one) })),
  };
  return {
    skill: singleFileSkill(readDescription(skill), descriptionDocument),
    environment: {
      ...environment,
      run: async (task, described, context) => environment.run(task, whole(described), context),
    },
    settings: {
      ...settings,
      prompts: descriptionPrompts(trained, settings.prompts),
    },
  };
}

/** The complete skill for a description. It's cached per description because every rollout asks for it. */
function completing(skill: Skill): (described: Skill) => Skill {
  const known = new WeakMap<Skill, Skill>();
  return (described) => {
    const whole = known.get(described) ?? withDescription(skill, mainText(described));
    known.set(described, whole);
    return whole;
  };
}

/** The kept description on val, if the search measured it by itself. */
const confirmedFigures = ({ confirmed }: TrainResult): TriggerFigures | undefined =>
  confirmed.length === 0 ? undefined : countTriggers(confirmed);

function reportTriggers(
  { baseline, sealed, best }: TrainResult,
  bestOnVal: TriggerFigures | undefined,
): TriggerReport {
  const isNew = best.step > 0;
  return {
    ...(baseline === undefined
      ? {}
      : {
          val: {
            before: countTriggers(baseline.rolled),
            ...(isNew && bestOnVal !== undefined ? { after: bestOnVal } : {}),
          },
        }),
    ...(sealed?.kind === "claimed"
      ? {
          test: {
            before: countTriggers(sealed.original.rolled.flat()),
            after: countTriggers(sealed.best.rolled.flat()),
          },
        }
      : {}),
  };
}
