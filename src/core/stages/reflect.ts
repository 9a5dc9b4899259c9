import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { Environment } from "../tasks/environment.ts";
import { type Analysed, askAnalyst } from "./analyst.ts";
import { attributeEdit } from "./attribute-edit.ts";
import { chunk } from "./chunk.ts";
import { handled } from "./handled.ts";
import type { Attempted } from "./misses.ts";
import type { ShownSearch } from "./optimizer-text.ts";
import type { Rolled } from "./rollout.ts";

export interface ReflectInput extends ShownSearch {
  /** In the batch's seeded order. */
  readonly rollouts: readonly Promise<Rolled>[];
  readonly place: Place;
}

export interface Reflection {
  readonly rolled: readonly Rolled[];
  readonly sides: PatchSides;
}

/** Patches by source, in the order in which their minibatches filled. A side that is ready needn't wait for the other. */
export interface PatchSides {
  readonly failure: Promise<readonly RawPatch[]>;
  readonly success: Promise<readonly RawPatch[]>;
}

/** For patches that arrive together. */
export function sidesOf(patches: Promise<readonly RawPatch[]>): PatchSides {
  const side = (source: RawPatch["source"]) =>
    handled(patches.then((all) => all.filter((patch) => patch.source === source)));
  return { failure: side("failure"), success: side("success") };
}

/** Failure patches, then success patches. */
export async function allPatches({ failure, success }: PatchSides): Promise<readonly RawPatch[]> {
  return (await Promise.all([failure, success])).flat();
}

/** Has analysts read failures and successes in minibatches. Resolves when rollouts are in and analysts are working. */
export async function reflect(input: ReflectInput, context: Context): Promise<Reflection> {
  const { environment, settings } = context;
  const rolled = await Promise.all(input.rollouts);
  if (environment.reflect !== undefined)
    return { rolled, sides: sidesOf(Promise.resolve(environment.reflect(rolled, input.skill))) };
  const attempts = rolled.flatMap(({ task, outcome }) =>
    outcome.kind === "scored" ? [{ task, outcome }] : [],
  );
  const side = (source: RawPatch["source"], read: readonly Attempted[]) => {
    const minibatches = chunk(read, settings.minibatchSize).filter((some) => !isMute(some, environment));
    const analyse = (some: readonly Attempted[]) =>
      analyseMinibatch({ ...input, source, attempts: some, batch: attempts }, input.place, context);
    return handled(Promise.all(minibatches.map(analyse)));
  };
  const failed = attempts.filter(({ outcome }) => outcome.hard < 1);
  // if nothing failed, the skill already says what makes attempts work
  const isRead = settings.successes && failed.length > 0;
  const solved = attempts.filter(({ outcome }) => isRead && outcome.hard >= 1);
  return { rolled, sides: { failure: side("failure", failed), success: side("success", solved) } };
}

/** Whether all replies are identical and no judgement shows what was expected: there's nothing to learn from that. */
function isMute(attempts: readonly Attempted[], environment: Environment): boolean {
  const replies = attempts.map(({ outcome }) => outcome.conversation.at(-1)?.content);
  const isUntold = ({ task, outcome }: Attempted) =>
    outcome.reply === "refused" ||
    (outcome.feedback === attempts[0]?.outcome.feedback &&
      (task.answers ?? task.checks ?? task.reference ?? environment.reference?.(task)) === undefined);
  return attempts.length > 1 && new Set(replies).size === 1 && attempts.every(isUntold);
}

async function analyseMinibatch(analysed: Analysed, place: Place, context: Context): Promise<RawPatch> {
  const { source, attempts, budget } = analysed;
  const taskIds = attempts.map(({ task }) => task.id);
  const answer = await askAnalyst(analysed, place, context);
  if (!answer.ok)
    return { source, taskIds, reasoning: "", patterns: [], edits: [], unusable: answer.problem };
  const { reasoning, edits, failure_summary = [] } = answer.value;
  return {
    source,
    taskIds,
    reasoning,
    patterns: failure_summary.map(({ failure_type, description }) =>
      description === "" ? failure_type : `${failure_type}: ${description}`,
    ),
    edits: edits.slice(0, budget).map((edit) => attributeEdit(edit, source, taskIds)),
  };
}
