import type { Context, Branch } from "../context.ts";
import type { Place } from "../place.ts";
import { gateScore } from "../gate/score.ts";
import { skillIdentity } from "../skill/hash.ts";
import { scoreOf } from "../measure/evaluate.ts";
import { nothingToGain } from "./nothing-to-gain.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { Standing } from "./standing.ts";
import { rollBatch } from "../stages/study.ts";
import type { Skill } from "../skill/skill.ts";
import { type Course, type OnFork, type Progress, isOver, nextBatch, startOf, takeTurn } from "./turn.ts";

/** Begins what the search will probably need next, while it waits for the optimizer and the gate. */
export interface Scout {
  /** A turn begins: the batch after it rolls out under the incumbent, which most candidates do not replace. */
  begin(progress: Progress): void;
  /** The gate decides: the turn after it begins for both answers, and asks the optimizer for the likelier one. */
  readonly fork: OnFork;
  /** The turn is over: only what leads on from here is still wanted. */
  settle(progress: Progress): void;
  /** Nothing more is wanted. */
  close(): void;
}

/** Share of val that must have spoken before one answer of the gate counts as likelier. */
const enough = 2 / 3;

/**
 * Runs the search's own turns in contexts whose results nobody reads: they only fill the journal, where the search finds
 * them. So its decisions cannot depend on it.
 */
export function scoutAhead(course: Course, context: Context): Scout {
  const { speculation } = context;
  let branches: { readonly incumbent: string; readonly branch: Branch }[] = [];

  function branchOff(
    urgency: NonNullable<Place["ahead"]>,
    { current }: Standing,
    body: (ahead: Context, stop: () => void) => Promise<unknown>,
  ): Branch | undefined {
    const branch = speculation?.begin(urgency, context, body);
    if (branch !== undefined) branches.push({ incumbent: skillIdentity(current.skill), branch });
    return branch;
  }

  return {
    begin({ standing, ...progress }) {
      const next = batchAfter(progress, course);
      if (next === undefined) return;
      const incumbent = standing.current.skill;
      branchOff("spare", standing, (ahead) => Promise.all(rollBatch({ ...next, incumbent }, ahead).flat()));
    },
    fork({ rejected, accepted }) {
      const reject = branchOff("at-once", rejected.standing, (ahead) => goOn(rejected, course, ahead));
      // its gate would compare with scores that nobody knows yet
      const accept = branchOff("at-once", accepted.standing, (ahead, stop) =>
        goOn(accepted, course, ahead, stop),
      );
      const leadOf = countLead(rejected.standing, course, context);
      return (rolled) => {
        const { lead, results } = leadOf(rolled);
        if (results < course.splits.val.length * enough) return;
        (lead > 0 ? accept : reject)?.favour();
      };
    },
    settle({ standing }) {
      const incumbent = skillIdentity(standing.current.skill);
      for (const one of branches) {
        if (one.incumbent === incumbent) one.branch.stop();
        else one.branch.abandon();
      }
      branches = [];
    },
    close() {
      for (const { branch } of branches) branch.abandon();
    },
  };
}

/** The first step, begun beside the baseline: only one that leaves nothing to learn could make it needless. */
export function scoutStart(skill: Skill, course: Promise<Course>, context: Context): Branch | undefined {
  const unmeasured = { skill, score: null };
  const standing: Standing = { current: unmeasured, best: { ...unmeasured, step: 0 }, gate: { kind: "off" } };
  return context.speculation?.begin("at-once", context, async (ahead, stop) =>
    goOn(startOf(skill, standing), await course, ahead, stop),
  );
}

/** To the end of the next step, or of the run. */
async function goOn(from: Progress, course: Course, ahead: Context, onFork?: () => void): Promise<void> {
  for (let progress = from; !isOver(progress, course); ) {
    if (nothingToGain(progress.standing) !== undefined) return;
    const turn = await takeTurn(progress, course, ahead, () => {
      onFork?.();
      return undefined;
    });
    if (turn.kind === "step") return;
    progress = turn.progress;
    if (isOver(progress, course)) await course.prepareEnd?.(progress.standing, ahead);
  }
}

/** How far a candidate is ahead of the incumbent on the tasks that have come in. */
function countLead({ current, gate }: Standing, { splits: { val } }: Course, { settings }: Context) {
  const places = new Map(val.map((task, index) => [task.id, index]));
  const incumbentOn = (id: string): number => {
    const at = places.get(id) ?? -1;
    if (gate.kind === "strict") return gate.byTask[at] ?? 0;
    if (gate.kind !== "paired") return current.score ?? 0;
    const trials = (gate.arm[at] ?? []).filter((score) => score !== null);
    return trials.reduce((a, b) => a + b, 0) / Math.max(trials.length, 1);
  };
  let [lead, results] = [0, 0];
  return ({ task, outcome }: Rolled) => {
    const score = scoreOf(outcome);
    if (score !== null) {
      lead += gateScore(score, settings.metric, settings.mixedWeight) - incumbentOn(task.id);
      results += 1;
    }
    return { lead, results };
  };
}

/** The batch after the one that this turn takes. */
function batchAfter(progress: Pick<Progress, "epochs" | "batches" | "steps">, course: Course) {
  const { epochs, batches, steps } = progress;
  const isStep = nextBatch(progress, course) !== undefined;
  const inEpoch = isStep ? course.batches[epochs]?.[batches + 1] : undefined;
  const batch = inEpoch ?? course.batches[epochs + 1]?.[0];
  const epoch = inEpoch === undefined ? epochs + 2 : epochs + 1;
  return batch === undefined ? undefined : { batch, epoch, step: steps + (isStep ? 2 : 1) };
}
