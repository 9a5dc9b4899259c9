import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { contrastive } from "../prompts/contrastive.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import { askModel } from "./ask-model.ts";
import { missesSection } from "./misses.ts";
import { type ShownSearch, joinSections, searchSection } from "./optimizer-text.ts";
import { attributeEdit } from "./attribute-edit.ts";
import { trajectoryText } from "./trajectory.ts";

/** All attempts of one train task under one skill. */
export interface Attempts {
  readonly task: Task;
  readonly outcomes: readonly Scored[];
}

export interface ContrastInput extends ShownSearch {
  readonly attempts: readonly Attempts[];
  readonly place: Place;
}

const mostTasks = 6;

/**
 * Shows the optimizer a good and a bad attempt at each of the tasks whose attempts differ most. `undefined` if no
 * task's attempts differ or nothing usable came; then the plain analysts take over.
 */
export async function contrast(input: ContrastInput, context: Context): Promise<RawPatch | undefined> {
  const informative = chooseInformative(input.attempts);
  if (informative.length === 0) return undefined;
  const tasks = informative.map(({ task }) => task);
  const user = joinSections([
    searchSection(input, tasks, context.settings),
    missesSection(
      input.attempts.flatMap(({ task, outcomes }) => outcomes.map((outcome) => ({ task, outcome }))),
    ),
    `# Tasks with a good and a bad attempt\n\n${informative.map(contrastText).join("\n\n---\n\n")}`,
    `Edit budget: ${input.budget}`,
  ]);
  const found = await askModel(contrastive, user, input.place, context);
  if (found === undefined || found.edits.length === 0) return undefined;
  const taskIds = tasks.map(({ id }) => id);
  const edits = found.edits.slice(0, input.budget).map((edit) => attributeEdit(edit, "failure", taskIds));
  return { source: "failure", taskIds, patterns: [], reasoning: found.reasoning, edits };
}

/** The tasks with the widest spread of scores, at most six; ties keep the batch's order. */
export function chooseInformative(attempts: readonly Attempts[]): readonly Attempts[] {
  return attempts
    .filter((one) => spread(one) > 0)
    .toSorted((a, b) => spread(b) - spread(a))
    .slice(0, mostTasks);
}

function spread({ outcomes }: Attempts): number {
  const scores = outcomes.map(({ hard }) => hard);
  return scores.length === 0 ? 0 : Math.max(...scores) - Math.min(...scores);
}

function contrastText({ task, outcomes }: Attempts): string {
  const byScore = outcomes.toSorted((a, b) => b.hard - a.hard || b.soft - a.soft);
  const [good, bad] = [byScore.at(0), byScore.at(-1)];
  if (good === undefined || bad === undefined) return "";
  return `Good attempt:\n${trajectoryText({ task, outcome: good })}\n\nBad attempt:\n${trajectoryText({ task, outcome: bad })}`;
}
