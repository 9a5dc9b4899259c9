import { existsSync } from "node:fs";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { hashText } from "../../core/canonical.ts";
import type { Cost } from "../../core/cost.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { unusableReplies } from "../../core/measure/check-replies.ts";
import { draftTasks } from "../../core/prompts/draft-tasks.ts";
import { writtenWords } from "../../core/rules/rule-words.ts";
import { askWithReason } from "../../core/stages/ask-model.ts";
import { draftQuestion } from "../../core/tasks/draft-question.ts";
import { allTasks, isShared, lackingForTest } from "../../core/tasks/few-tasks.ts";
import type { Task } from "../../core/tasks/task.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { openReview } from "../offer/offers.ts";
import { findOffer } from "../offer/proposals.ts";
import { readRollouts } from "../reports/recorded-rollouts.ts";
import type { CallOptions } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { performCall } from "./perform.ts";
import type { Verb } from "./verb.ts";

export interface DraftOptions extends CallOptions {
  /** How many to ask for. */
  readonly count: number;
  /** The file to write, one JSON row per task. */
  readonly file: string;
}

export interface Drafted {
  readonly file: string;
  readonly tasks: readonly Task[];
  readonly spent: Cost;
}

/** Lets the optimizer draft tasks from the skill. Each is marked as a draft until a person removes the mark. */
export async function draftTasksFor({ count, file, ...options }: DraftOptions): Promise<Drafted> {
  if (existsSync(file)) {
    throw new WhetstoneError("usage", `Drafts already exist: ${file}.`, {
      hint: "Review them, or remove the file first.",
    });
  }
  const { result, spent } = await performCall(
    { ...options, withoutTasks: true },
    ["optimizer"],
    ({ resolved }) => draftVerb(resolved, count),
  );
  const tasks = result.map((task): Task => ({ ...task, draft: true }));
  await writeRows(file, tasks);
  return { file, tasks, spent };
}

/** Keeps only the drafts that a person has read and wants. If none is kept, the file stays as it is. */
export async function keepTasks(file: string, kept: readonly Task[]): Promise<void> {
  const rows = kept.map((task) => {
    const { draft: _, ...rest } = task;
    return rest;
  });
  if (rows.length > 0) await writeRows(file, rows);
}

const writeRows = (file: string, tasks: readonly Task[]): Promise<void> =>
  writeFileAtomic(file, tasks.map((task) => `${JSON.stringify(task)}\n`).join(""));

export interface Suggested {
  /** For a person to read; nothing is written. */
  readonly tasks: readonly Task[];
  readonly spent: Cost;
  /** How many tasks a sealed test lacks, not counting these; missing if there is one. */
  readonly lacking?: number;
}

/** Lets the optimizer draft more tasks: for what fails, what no task covers, and what proposed rules would change. */
export async function suggestTasks({ count, ...options }: Omit<DraftOptions, "file">): Promise<Suggested> {
  let lacking: number | undefined;
  const { result, spent } = await performCall(options, ["optimizer"], async ({ resolved }) => {
    const { splits, journalDir } = resolved;
    const tasks = allTasks(splits);
    if (isShared(splits)) lacking = lackingForTest(splits.test.length);
    const { scores } = await readRollouts(journalDir, tasks);
    const known = { tasks, scores, rules: await rulesOnTrial(options) };
    // the tasks are only read, so their judge and checks aren't needed
    return draftVerb({ ...resolved, splits: { train: [], val: [], test: [] } }, count, known);
  });
  return { tasks: result, spent, ...(lacking === undefined ? {} : { lacking }) };
}

/** From the latest training; empty if nothing was proposed. */
async function rulesOnTrial({ cwd, journal }: CallOptions): Promise<readonly string[]> {
  const found = await findOffer({ cwd, journal }).catch(() => undefined);
  return found === undefined ? [] : openReview(found).rules.flatMap(({ edit }) => writtenWords(edit) ?? []);
}

/** Tasks from the skill's own text, and from what is known about it. */
export function draftVerb(
  resolved: Resolved,
  count: number,
  known: Omit<Parameters<typeof draftQuestion>[0], "skill"> = {},
): Verb<readonly Task[], { readonly tasks: number }> {
  const user = draftQuestion({ ...known, skill: resolved.skill }, count);
  // tasks of one skill mostly share one output contract
  const contracts = new Set((known.tasks ?? []).map(({ system }) => system));
  const [system] = contracts.size === 1 ? contracts : [];
  return {
    command: "draft",
    roles: ["optimizer"],
    resolved,
    id: runId("draft", resolved, { count, asked: hashText(user) }),
    async run(context) {
      const place = { role: "optimizer", step: 0, stage: "draft" } as const;
      const drafted = await askWithReason(draftTasks, user, place, context);
      if (!drafted.ok) throw unusableReplies("optimizer", [drafted.problem], 1, context);
      return drafted.value.tasks.slice(0, count).map(
        ({ input, expectations, answer }, at): Task => ({
          id: `draft-${hashText(input).slice(0, 6)}-${at + 1}`,
          input,
          ...(system === undefined ? {} : { system }),
          ...(answer === ""
            ? { checks: expectations.map((value) => ({ kind: "rubric", value })) }
            : { answers: [answer] }),
        }),
      );
    },
    tell: (tasks) => ({ sentence: `${tasks.length} tasks were drafted.`, summary: { tasks: tasks.length } }),
  };
}
