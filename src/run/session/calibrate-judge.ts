import { allTasks } from "../../core/tasks/few-tasks.ts";
import { generateKind } from "../../core/work/unit-kinds.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import type { Place } from "../../core/place.ts";
import { InfraError } from "../../core/errors.ts";
import type { Judge } from "../../core/judge/ask-judge.ts";
import { type Calibration, calibrateJudge, requireCalibrated } from "../../core/judge/calibrate.ts";
import type { KnownAnswers } from "../../core/judge/probes.ts";
import { tellUnusable } from "../../core/measure/tell-unusable.ts";
import type { Memoized } from "../../core/work/memo.ts";
import { memoReply } from "../../core/work/memo-reply.ts";
import type { ModelRequest, Role } from "../../core/ports/model.ts";
import { usesJudge } from "../../core/scorers/uses-kind.ts";
import { repairTries } from "../../core/stages/ask-model.ts";
import { requestBody } from "../../core/stages/request-body.ts";
import { unanswered } from "../../core/unanswered.ts";
import { findReplyProblem } from "../../core/unusable-reply.ts";

/** The roles that a run calls, including the judge if tasks need one. */
export const calledRoles = (roles: readonly Role[], { splits }: Resolved): readonly Role[] =>
  usesJudge(allTasks(splits)) ? [...roles, "judge"] : roles;

/** Before a judge may score, it's tested on answers known to be good or bad; one that can't tell them apart is refused. */
export async function calibrateFirst(
  { splits, calibration = [] }: Resolved,
  context: Context,
): Promise<void> {
  const tasks = allTasks(splits);
  if (!usesJudge(tasks)) return;
  const { judge } = context.models;
  const started = context.clock.now();
  const stage = "calibrate";
  let total = 0;
  const onRound = (calls: number): void => {
    total = calls;
    context.emit({ type: "stage-start", step: 0, stage, total });
  };
  const found = await tryJudge({ tasks, rows: calibration }, context, onRound);
  const ms = context.clock.now() - started;
  context.emit({ type: "stage-end", step: 0, stage, total, pending: 0, ms });
  requireCalibrated(found, judge);
  context.emit({ type: "judge-calibrated", judge, accuracy: found.accuracy, message: found.sentence });
}

/** Asks the run's judge about answers known to be good or bad. */
export async function tryJudge(
  known: KnownAnswers,
  context: Context,
  onRound?: (calls: number) => void,
): Promise<Calibration> {
  return throughJudge((judge) => calibrateJudge(known, { judge, onRound }), context);
}

/** Asks the run's judge questions, to find out whether it can judge. */
export async function throughJudge<Found>(
  find: (judge: Judge) => Promise<Found>,
  context: Context,
): Promise<Found> {
  const { judge } = context.models;
  const place: Place = { role: "judge", step: 0, stage: "calibrate" };
  const ask: Judge = async ({ system, prompt, isParsable = () => true, isRepair, format }) => {
    const request: ModelRequest = {
      model: judge,
      system,
      messages: [{ role: "user", content: prompt }],
      maxTokens: context.settings.optimizerMaxTokens,
      ...requestBody("judge", context, format),
    };
    const draw = { purpose: "calibrate", trial: 0 } as const;
    const isUsable = ({ key, output }: Memoized): boolean => {
      const reply = generateKind.readOutput(output);
      const problem = findReplyProblem(reply) ?? (isParsable(reply) ? undefined : "unparsable");
      if (problem !== undefined) tellUnusable({ key, problem }, place, context);
      return problem === undefined;
    };
    const unit = generateKind.unit(request, draw);
    const tries = isRepair === true ? repairTries : 1;
    const { output } = await memoReply(unit, place, context, { isUsable, tries });
    return generateKind.readOutput(output);
  };
  try {
    return await find(ask);
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    throw unanswered(judge, "judge", error);
  }
}
