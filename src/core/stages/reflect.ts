import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { analystError } from "../prompts/analyst-error.ts";
import { analystSuccess } from "../prompts/analyst-success.ts";
import type { ProposedEdit } from "../prompts/edit-schema.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { ReplyProblem } from "../unusable-reply.ts";
import { askWithReason } from "./ask-model.ts";
import { attributeEdit } from "./attribute-edit.ts";
import {
  type TriedStep,
  contractSection,
  joinSections,
  metaSection,
  skillSection,
  triedSection,
} from "./optimizer-text.ts";
import type { Rolled } from "./rollout.ts";
import { handled } from "./handled.ts";
import { trajectoryText } from "./trajectory.ts";

export interface ReflectInput {
  readonly skill: Skill;
  /** In the batch's seeded order; read along it, each awaited in its turn. */
  readonly rollouts: readonly Promise<Rolled>[];
  readonly budget: number;
  readonly tried: readonly TriedStep[];
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
  readonly place: Place;
}

export interface Reflection {
  readonly rolled: readonly Rolled[];
  readonly sides: PatchSides;
}

/** Patches by what they rest on, in the order their minibatches filled; a side that is ready need not wait for the other. */
export interface PatchSides {
  readonly failure: Promise<readonly RawPatch[]>;
  readonly success: Promise<readonly RawPatch[]>;
}

/** Of patches that come together. */
export function sidesOf(patches: Promise<readonly RawPatch[]>): PatchSides {
  const side = (source: RawPatch["source"]) =>
    handled(patches.then((all) => all.filter((patch) => patch.source === source)));
  return { failure: side("failure"), success: side("success") };
}

/** Failure patches, then success patches. */
export async function allPatches({ failure, success }: PatchSides): Promise<readonly RawPatch[]> {
  return (await Promise.all([failure, success])).flat();
}

export interface Attempted {
  readonly task: Task;
  readonly outcome: Scored;
}

/**
 * Failures fill failure minibatches, the rest success minibatches; a full one is analysed at once. Resolves when all
 * rollouts are in and their analysts are at work.
 */
export async function reflect(input: ReflectInput, context: Context): Promise<Reflection> {
  const { minibatchSize, failureOnly } = context.settings;
  const rolled: Rolled[] = [];
  const waiting = { failure: [] as Attempted[], success: [] as Attempted[] };
  const analyses = { failure: [] as Promise<RawPatch>[], success: [] as Promise<RawPatch>[] };
  const analyse = (source: "failure" | "success") => {
    analyses[source].push(handled(analyseMinibatch(source, waiting[source], input, context)));
    waiting[source] = [];
  };

  const { environment } = context;
  for (const promise of input.rollouts) {
    const one = await promise;
    rolled.push(one);
    if (one.outcome.kind !== "scored" || environment.reflect !== undefined) continue;
    const source = one.outcome.hard < 1 ? "failure" : "success";
    if (source === "success" && failureOnly) continue;
    waiting[source].push({ task: one.task, outcome: one.outcome });
    if (waiting[source].length === minibatchSize) analyse(source);
  }
  if (environment.reflect !== undefined)
    return { rolled, sides: sidesOf(Promise.resolve(environment.reflect(rolled, input.skill))) };
  if (waiting.failure.length > 0) analyse("failure");
  if (waiting.success.length > 0) analyse("success");
  const side = (source: "failure" | "success") => handled(Promise.all(analyses[source]));
  return { rolled, sides: { failure: side("failure"), success: side("success") } };
}

async function analyseMinibatch(
  source: "failure" | "success",
  attempts: readonly Attempted[],
  { skill, budget, tried, meta, place }: ReflectInput,
  context: Context,
): Promise<RawPatch> {
  const taskIds = attempts.map(({ task }) => task.id);
  const user = analystText(source, attempts, { skill, budget, tried, meta }, context);
  const found =
    source === "failure"
      ? await analyseFailures(user, place, context)
      : await analyseSuccesses(user, place, context);
  const edits = found.edits.slice(0, budget).map((edit) => attributeEdit(edit, source, taskIds));
  const { reasoning, patterns, notes, unusable } = found;
  return {
    source,
    taskIds,
    reasoning,
    patterns,
    edits,
    ...(notes.length === 0 ? {} : { notes }),
    ...(unusable === undefined ? {} : { unusable }),
  };
}

/** What an analyst is shown. */
export function analystText(
  source: "failure" | "success",
  attempts: readonly Attempted[],
  { skill, budget, tried, meta }: Pick<ReflectInput, "skill" | "budget" | "tried" | "meta">,
  { settings, environment }: Pick<Context, "settings" | "environment">,
): string {
  return joinSections([
    skillSection(skill, settings),
    contractSection(attempts.map(({ task }) => task)),
    triedSection(tried),
    metaSection(meta),
    source === "failure" && settings.skillAware ? lapseSection : "",
    `# ${source === "failure" ? "Failed" : "Solved"} tasks\n\n${attempts
      .map(({ task, outcome }) =>
        trajectoryText(task, outcome, task.reference ?? environment.reference?.(task)),
      )
      .join("\n\n---\n\n")}`,
    `Edit budget: ${budget}`,
  ]);
}

interface Findings {
  readonly reasoning: string;
  readonly patterns: readonly string[];
  readonly edits: readonly ProposedEdit[];
  readonly notes: readonly string[];
  readonly unusable?: ReplyProblem;
}

const nothingUsable = (unusable: ReplyProblem): Findings => ({
  reasoning: "",
  patterns: [],
  edits: [],
  notes: [],
  unusable,
});

const lapseSection = `# Defect or lapse

For each failure decide whether the skill is wrong or silent (a defect: propose an edit) or has a rule that would have prevented it (a lapse: propose no edit, but write one short reminder of that rule into "appendix_notes": [string] of your reply). When unsure, call it a lapse.`;

async function analyseFailures(user: string, place: Place, context: Context): Promise<Findings> {
  const answer = await askWithReason(analystError, user, place, context);
  if (!answer.ok) return nothingUsable(answer.problem);
  const analysis = answer.value;
  const patterns = analysis.failure_summary.map(({ failure_type, description }) =>
    description === "" ? failure_type : `${failure_type}: ${description}`,
  );
  const notes = context.settings.skillAware ? analysis.appendix_notes : [];
  return { reasoning: analysis.reasoning, patterns, edits: analysis.edits, notes };
}

async function analyseSuccesses(user: string, place: Place, context: Context): Promise<Findings> {
  const answer = await askWithReason(analystSuccess, user, place, context);
  if (!answer.ok) return nothingUsable(answer.problem);
  const analysis = answer.value;
  return {
    reasoning: analysis.reasoning,
    patterns: analysis.success_patterns,
    edits: analysis.edits,
    notes: [],
  };
}
