import { existsSync } from "node:fs";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Cost } from "../../core/cost.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { unusableReplies } from "../../core/measure/check-replies.ts";
import { draftTasks } from "../../core/prompts/draft-tasks.ts";
import { askWithReason } from "../../core/stages/ask-model.ts";
import { skillSection } from "../../core/stages/optimizer-text.ts";
import type { Task } from "../../core/tasks/task.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import type { CallOptions } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { performCall } from "./perform.ts";
import type { Verb } from "./verb.ts";

export interface DraftOptions extends CallOptions {
  /** How many to ask for. */
  readonly count: number;
  /** Where they go, one JSON row each. */
  readonly file: string;
}

export interface Drafted {
  readonly file: string;
  readonly tasks: readonly Task[];
  readonly spent: Cost;
}

/** Lets the optimizer draft tasks from the skill, each marked as a draft until a person takes the mark away. */
export async function draftTasksFor({ count, file, ...options }: DraftOptions): Promise<Drafted> {
  if (existsSync(file)) {
    throw new WhetstoneError("usage", `There are drafts already: ${file}.`, {
      hint: "Review them, or remove the file first.",
    });
  }
  const { result, spent } = await performCall(
    { ...options, withoutTasks: true },
    ["optimizer"],
    ({ resolved }) => draftVerb(resolved, count),
  );
  await writeFileAtomic(file, result.map((task) => `${JSON.stringify(task)}\n`).join(""));
  return { file, tasks: result, spent };
}

/** Tasks from the skill's own text. */
export const draftVerb = (
  resolved: Resolved,
  count: number,
): Verb<readonly Task[], { readonly tasks: number }> => ({
  command: "draft",
  roles: ["optimizer"],
  resolved,
  id: runId("draft", resolved, { count }),
  async run(context) {
    const place = { role: "optimizer", step: 0, stage: "draft" } as const;
    const user = `${skillSection(resolved.skill)}\n\nWrite ${count} tasks.`;
    const drafted = await askWithReason(draftTasks, user, place, context);
    if (!drafted.ok) throw unusableReplies("optimizer", [drafted.problem], 1, context);
    return drafted.value.tasks.slice(0, count).map(
      ({ input, expectations }, at): Task => ({
        id: `draft-${at + 1}`,
        input,
        checks: expectations.map((value) => ({ kind: "rubric", value })),
        draft: true,
      }),
    );
  },
  tell: (tasks) => ({ sentence: `${tasks.length} tasks were drafted.`, summary: { tasks: tasks.length } }),
});
