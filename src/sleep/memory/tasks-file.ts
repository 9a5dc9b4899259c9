import { z } from "zod";
import { WhetstoneError } from "../../core/errors.ts";
import { asJson } from "../../core/json.ts";
import { parseTasks } from "../../core/tasks/parse-tasks.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

/** Mined tasks as a task file, one JSON row each. Every row is a draft until a person removes that mark. */
export const writeTaskRows = (tasks: readonly MinedTask[]): string =>
  tasks.map((mined) => `${JSON.stringify(toRow(mined))}\n`).join("");

function toRow({ task, ...rest }: MinedTask): Task {
  return { ...task, draft: true, metadata: { ...task.metadata, sleep: asJson(rest) } };
}

/**
 * Reads such a file back. Unreviewed rows are refused by name, whatever the models are, because nobody knows their contents
 * yet. A row that a person wrote by hand counts as its own conversation.
 */
export function readTaskRows(text: string, source: string): readonly MinedTask[] {
  const tasks = parseTasks(readLines(text, source), source);
  const drafts = tasks.filter(({ draft }) => draft === true).map(({ id }) => id);
  if (drafts.length > 0) {
    const named = `${drafts.slice(0, maxNamed).join(", ")}${drafts.length > maxNamed ? ` and ${drafts.length - maxNamed} more` : ""}`;
    throw new WhetstoneError("tasks-invalid", `Nobody has reviewed these rows of ${source}: ${named}.`, {
      hint: 'Review them, fix or delete them, and remove `"draft": true` from each one that may be sent to a model.',
    });
  }
  return tasks.map((task) => fromRow(task, source));
}

const maxNamed = 5;

function readLines(text: string, source: string): readonly unknown[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (cause) {
      throw new WhetstoneError("tasks-invalid", `${source}, line ${at + 1} isn't JSON.`, {
        cause,
        hint: "Write one JSON object per line.",
      });
    }
  });
}

function fromRow(row: Task, source: string): MinedTask {
  const { draft: _, metadata: { sleep, ...metadata } = {}, ...task } = row;
  const read = restSchema.safeParse(sleep ?? {});
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = ["metadata.sleep", ...(issue?.path ?? [])].map(String).join(".");
    throw new WhetstoneError(
      "tasks-invalid",
      `${source}, task ${row.id}: "${where}": ${issue?.message ?? "is broken"}.`,
      {
        hint: "Restore it, or remove `metadata.sleep` entirely.",
      },
    );
  }
  const seen = read.data.seen ?? [task.group ?? `file:${task.id}`];
  return {
    task: {
      ...task,
      group: task.group ?? seen[0] ?? task.id,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    },
    ...read.data,
    seen,
  };
}

const text = z.string().min(1);

const ending = z.object({ answer: text, did: z.array(text).optional() });

const restSchema = z.object({
  kind: z.enum(["task", "correction"]).default("task"),
  seen: z.array(text).min(1).optional(),
  outcome: z.enum(["solved", "failed", "unknown"]).default("unknown"),
  evidence: z.array(z.string()).default([]),
  skill: text.optional(),
  scope: z.enum(["project", "personal"]).default("project"),
  stated: text.optional(),
  said: z
    .array(
      z.object({
        text: z.string(),
        conversation: text,
        kind: z.enum(["statement", "correction"]),
        isRule: z.boolean(),
        lasts: z.enum(["once", "always"]).optional(),
        about: z.string().optional(),
        reason: z.string().optional(),
        scene: z.object({ asked: z.string(), did: z.string() }).optional(),
      }),
    )
    .optional(),
  paraphrases: z.array(text).default([]),
  workspace: z.object({ commit: text, files: z.array(z.string()) }).optional(),
  talk: z
    .object({
      commit: text,
      before: z.array(z.object({ prompt: z.string(), answer: z.string() })),
      input: text,
      correction: text,
      recorded: ending,
      corrected: ending,
    })
    .optional(),
  isTalkAlone: z.boolean().optional(),
});
