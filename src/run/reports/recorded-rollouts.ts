import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { taskHash } from "../../core/tasks/task-hash.ts";
import type { Task } from "../../core/tasks/task.ts";

export interface RecordedRollouts {
  /** Hard scores by task id, without unusable replies, which say nothing about a task. */
  readonly scores: ReadonlyMap<string, readonly number[]>;
  /** Ids of tasks with unusable replies. */
  readonly unanswered: readonly string[];
  /** Ids of the runs that had any of these tasks. */
  readonly runs: readonly string[];
}

/** Exported results of earlier runs for these tasks, if the tasks haven't changed since. */
export async function readRollouts(journalDir: string, tasks: readonly Task[]): Promise<RecordedRollouts> {
  const hashes = new Map(tasks.map((task) => [task.id, taskHash(task)]));
  const scores = new Map<string, number[]>();
  const unanswered = new Set<string>();
  const runs: string[] = [];
  for await (const config of glob("runs/*/config.json", { cwd: journalDir })) {
    const manifest = manifestSchema.safeParse(await readSoundJson(join(journalDir, config)));
    if (!manifest.success) continue;
    const listed = Object.values(manifest.data.splits).flat();
    const same = new Set(listed.filter(({ id, hash }) => hashes.get(id) === hash).map(({ id }) => id));
    if (same.size > 0 && manifest.data.run !== undefined) runs.push(manifest.data.run);
    const folder = join(journalDir, config, "..");
    for await (const path of glob("**/{rollout_results,results}.json", { cwd: folder })) {
      const rows = rowsSchema.safeParse(await readSoundJson(join(folder, path)));
      for (const { id, hard, reply } of rows.success ? rows.data : []) {
        if (!same.has(id)) continue;
        if (reply !== undefined) unanswered.add(id);
        else if (hard !== undefined) scores.set(id, [...(scores.get(id) ?? []), hard]);
      }
    }
  }
  return { scores, unanswered: [...unanswered], runs };
}

const rows = z.array(z.object({ id: z.string(), hard: z.number().optional(), reply: z.string().optional() }));
const rowsSchema = z.union([rows, z.object({ results: rows }).transform(({ results }) => results)]);

/** The skill and tasks in a run's `config.json`. */
export const manifestSchema = z.object({
  run: z.string().optional(),
  skill: z.object({ hash: z.string() }).optional(),
  splits: z.record(z.string(), z.array(z.object({ id: z.string(), hash: z.string() }))),
});

/** Undefined if the file doesn't exist or can't be read. */
export async function readSoundJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
