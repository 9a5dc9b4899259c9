import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { taskHash } from "../core/tasks/task-hash.ts";
import type { Task } from "../core/tasks/task.ts";

/** The hard scores that earlier runs exported for these tasks, as long as a task is what it was then. */
export async function readRollouts(
  journalDir: string,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const hashes = new Map(tasks.map((task) => [task.id, taskHash(task)]));
  const scores = new Map<string, number[]>();
  for await (const config of glob("runs/*/config.json", { cwd: journalDir })) {
    const manifest = configSchema.safeParse(await readJson(join(journalDir, config)));
    if (!manifest.success) continue;
    const listed = Object.values(manifest.data.splits).flat();
    const same = new Set(listed.filter(({ id, hash }) => hashes.get(id) === hash).map(({ id }) => id));
    const folder = join(journalDir, config, "..");
    for await (const path of glob("**/{rollout_results,results}.json", { cwd: folder })) {
      const rows = rowsSchema.safeParse(await readJson(join(folder, path)));
      for (const { id, hard } of rows.success ? rows.data : [])
        if (same.has(id) && hard !== undefined) scores.set(id, [...(scores.get(id) ?? []), hard]);
    }
  }
  return scores;
}

const rows = z.array(z.object({ id: z.string(), hard: z.number().optional() }));
const rowsSchema = z.union([rows, z.object({ results: rows }).transform(({ results }) => results)]);
const configSchema = z.object({
  splits: z.record(z.string(), z.array(z.object({ id: z.string(), hash: z.string() }))),
});

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
