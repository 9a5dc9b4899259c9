import { existsSync } from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { draftTasks } from "../../core/prompts/draft-tasks.ts";
import type { Cost } from "../../core/cost.ts";
import { askModel } from "../../core/stages/ask-model.ts";
import { skillSection } from "../../core/stages/optimizer-text.ts";
import type { Task } from "../../core/tasks/task.ts";
import { writeFileAtomic } from "../adopt/atomic-file.ts";
import { type CallOptions, openRun } from "../session/open-run.ts";
import { preflight } from "../session/preflight.ts";
import { runId } from "../session/run-id.ts";
import { runInSession } from "../session/run-in-session.ts";
import { startEvent } from "../session/start-event.ts";
import { refuseUnknownPrices } from "./train-run.ts";

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
  return openRun({ ...options, withoutTasks: true }, ["optimizer"], async ({ resolved, journal }) => {
    refuseUnknownPrices(resolved, ["optimizer"]);
    const run = runId("draft", resolved, { count });
    const folder = resolved.out ?? join(resolved.journalDir, "runs", run);
    const { signal, onEvent } = options;
    return runInSession({ run, folder, resolved }, { journal, signal, onEvent }, async (session) => {
      const { context, spend } = session;
      context.emit(startEvent({ command: "draft", roles: ["optimizer"], folder }, resolved, session));
      await preflight(["optimizer"], context);
      const place = { role: "optimizer", step: 0, stage: "draft" } as const;
      const user = `${skillSection(resolved.skill)}\n\nWrite ${count} tasks.`;
      const drafted = await askModel(draftTasks, user, place, context);
      if (drafted === undefined) {
        throw new WhetstoneError("failed", "The optimizer's drafts could not be used.", {
          hint: "Try another optimizer, or write the tasks by hand.",
        });
      }
      const tasks = drafted.tasks.slice(0, count).map(
        ({ input, expectations }, at): Task => ({
          id: `draft-${at + 1}`,
          input,
          checks: expectations.map((value) => ({ kind: "rubric", value })),
          draft: true,
        }),
      );
      await writeFileAtomic(file, tasks.map((task) => `${JSON.stringify(task)}\n`).join(""));
      const message = `${tasks.length} drafts in ${file}`;
      context.emit({ type: "run-end", status: "done", message, cost: spend.spent() });
      return { file, tasks, spent: spend.spent() };
    });
  });
}
