import { hashJson } from "../../core/canonical.ts";
import type { Context } from "../../core/context.ts";
import { asJson } from "../../core/json.ts";
import { problemOfRubric } from "../../core/judge/calibrate.ts";
import { plural } from "../../core/plural.ts";
import { usesJudge } from "../../core/scorers/uses-kind.ts";
import type { Task } from "../../core/tasks/task.ts";
import { tryJudge } from "../../run/session/calibrate-judge.ts";
import { preflight } from "../../run/session/preflight.ts";
import { askAnew } from "../../run/verbs/prepare.ts";

/**
 * Tries the judge with each rubric separately, before it scores. A rubric written by a model may pass an empty answer, but that
 * shouldn't rule out the others. Returns why a task can't be used, by its id. Tasks with the same checks are tried once, with the
 * first of them. Put the oldest first, so that the journal already has the answers.
 */
export async function tryRubrics(
  tasks: readonly Task[],
  night: string,
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  const judged = tasks.filter((task) => usesJudge([task]));
  if (judged.length === 0) return new Map();
  await preflight(["judge"], askAnew(night, context));
  const alike = [...Map.groupBy(judged, ({ checks }) => hashJson(asJson(checks))).values()];
  const problems = await Promise.all(
    alike.map(async ([first]) =>
      problemOfRubric(
        await tryJudge(
          { tasks: first === undefined ? [] : [first], controls: false, requests: true },
          context,
        ),
      ),
    ),
  );
  const { judge } = context.models;
  const kept = problems.filter((problem) => problem === undefined).length;
  const rest = kept === alike.length ? "" : "; tasks with the other rubrics are left out";
  const message = `It refuses bad answers under ${kept} of ${plural(alike.length, "rubric")}${rest}.`;
  context.emit({ type: "judge-calibrated", judge, accuracy: null, message });
  return new Map(
    alike.flatMap((own, at) => {
      const problem = problems[at];
      return problem === undefined ? [] : own.map(({ id }) => [id, problem] as const);
    }),
  );
}
