import type { Context } from "../context.ts";
import type { Cost } from "../cost.ts";
import { InfraError, WhetstoneError } from "../errors.ts";
import type { EventBody } from "../events.ts";
import { drawnRight } from "../prompts/prompt.ts";
import { seededRandom } from "../random.ts";
import { scoreTask } from "../scorers/score-task.ts";
import { boxedKinds, judgedKinds, usesCheck } from "../scorers/uses-kind.ts";
import type { AnswerScore, Performance, ScoringTools } from "../scorers/performance.ts";
import type { Environment } from "../tasks/environment.ts";
import type { Invalid, Outcome } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import { type Course, beginning, milestoneOf, passMilestone } from "./course.ts";
import { type ImagineInput, imagine } from "./imagine.ts";
import { createPaceClock } from "./pace.ts";
import { type KnownJournal, rehearsalJournal } from "./rehearsal-journal.ts";
import {
  type BookedStage,
  type RehearsingOptions,
  drawnScore,
  isDrawn,
  rehearsingExecutor,
} from "./rehearsing-executor.ts";
import { simulatedTime } from "./simulated-time.ts";
import { isDrawnRule, sketch } from "./sketch.ts";
import { chatEnvironment } from "../tasks/chat-environment.ts";

/** The inputs of a rehearsal. */
export interface RehearsalBasis
  extends ImagineInput,
    Pick<
      Context,
      | "run"
      | "settings"
      | "models"
      | "takesBody"
      | "environment"
      | "agent"
      | "customScorers"
      | "signal"
      | "leftOut"
    >,
    Pick<
      RehearsingOptions,
      "prices" | "concurrency" | "near" | "isCapped" | "agentsAtATime" | "finds" | "good"
    > {
  /** The run's identity, which seeds the draws. */
  readonly seed: string;
  /** Results that are already bought. */
  readonly known?: KnownJournal;
  /** Resolves once everything that can continue has done so, in the next turn of the event loop. */
  readonly turn: () => Promise<void>;
}

/** One possible course of a run. */
export interface Rehearsal {
  readonly cost: Cost;
  readonly stages: readonly BookedStage[];
  readonly rollouts: number;
  readonly ms: number;
  /** The smallest cap that lets every call through. */
  readonly needed: Cost;
  /** The same cap at the end of each step. */
  readonly steps: readonly Cost[];
  /** Milestones and pace over time. */
  readonly course: Course;
}

/**
 * Goes through a run with drawn results. It makes no calls and writes nothing. The same number gives the same rehearsal.
 * After the first step it continues once `onStep` resolves.
 */
export async function rehearse(
  run: (context: Context) => Promise<unknown>,
  basis: RehearsalBasis,
  nth: number,
  onStep?: (needed: Cost) => Promise<void>,
): Promise<Rehearsal> {
  const seed = `rehearsal ${basis.seed} ${nth}`;
  const steps: Cost[] = [];
  let isTold = onStep === undefined;
  const time = simulatedTime(async () => {
    await basis.turn();
    const [first] = steps;
    if (isTold || first === undefined) return;
    isTold = true;
    await onStep?.(first);
  });
  const journal = rehearsalJournal(basis.run, basis.known);
  const { measured } = basis;
  const imagined = imagine(basis, seededRandom(seed));
  const callsPerRollout = measured.callsPerRollout ?? 1;
  const pace = createPaceClock(0);
  const isPlain = basis.environment === chatEnvironment ? isPlainTask : () => false;
  const drawing = {
    ...basis,
    slots: measured.slots,
    seed,
    journal,
    time,
    pace,
    imagined,
    callsPerRollout,
    isPlain,
  };
  const executor = rehearsingExecutor(drawing);
  const passed = [beginning];
  const context: Context = {
    ...basis,
    environment: harmless(basis.environment),
    journal,
    executor,
    clock: time,
    emit(event: EventBody) {
      if (event.type === "step-end") steps.push(executor.booked().needed);
      const milestone = milestoneOf(event);
      if (milestone !== undefined) passed.push(passMilestone(milestone, pace));
    },
    account() {},
    inFlight: new Map(),
    asked: { results: 0, missing: 0 },
    rehearsal: {
      score: scoreDrawn,
      settle: settleDrawn,
      roll: executor.roll,
      isDrawn: isDrawnRule,
      compose: sketch,
    },
  };
  await time.drive(() => run(context));
  const { stages, total, needed, rollouts } = executor.booked();
  const course = { passed, pace: pace.seen() };
  return { cost: total, stages: [...stages.values()], rollouts, ms: time.now(), needed, steps, course };
}

/** Books the calls that judges and graders would get. A drawn answer carries its own score. */
async function scoreDrawn(
  task: Task,
  performance: Performance,
  tools: ScoringTools,
): Promise<AnswerScore | Invalid> {
  if (!isDrawn(performance.text)) {
    const score = await scoreTask(task, performance, tools);
    return "kind" in score ? drawnScore("", task) : score;
  }
  const checks = (task.checks ?? []).filter((check) => !isPlainTask({ ...task, checks: [check] }));
  if (checks.length > 0) await scoreTask({ ...task, checks }, performance, tools);
  return drawnScore(performance.text, task);
}

/** Whether answers are scored without a judge or a grader. */
const isPlainTask = (task: Task): boolean =>
  !usesCheck([task], ({ kind }) => boxedKinds.includes(kind) || judgedKinds.includes(kind));

/** Environments with their own scoring can't score drawn answers, so we set the drawn scores. */
function settleDrawn(outcome: Outcome): Outcome {
  if (outcome.kind !== "scored") return outcome;
  const answer = outcome.conversation.at(-1)?.content ?? "";
  const hard = answer.startsWith(drawnRight) ? 1 : 0;
  return isDrawn(answer) ? { ...outcome, hard, soft: hard } : outcome;
}

/** Drops setup and teardown of the project's own code, and catches its errors about answers that it doesn't expect. */
function harmless(environment: Environment): Environment {
  return {
    ...environment,
    setup: undefined,
    teardown: undefined,
    reflect: environment.reflect && (async () => []),
    async run(task, skill, context) {
      try {
        return await environment.run(task, skill, context);
      } catch (error) {
        if (error instanceof InfraError || error instanceof WhetstoneError) throw error;
        return { kind: "scored", ...drawnScore("", task), conversation: [] };
      }
    },
  };
}
