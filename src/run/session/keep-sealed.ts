import { join, relative } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { readIfThere } from "../adopt/live-skill.ts";

/**
 * Lists the files that hold or grade test tasks of a run in `sealed.json` of the journal's folder, by their paths from there:
 * the plugin of a coding agent refuses to edit them. Whoever deletes the list opens them until the next run.
 */
export async function keepSealed({ splits, skillList, journalDir }: SealedFacts): Promise<void> {
  if (splits.test.length === 0) return;
  const path = join(journalDir, "sealed.json");
  const before = readSealed(path);
  const files = (skillList?.except ?? []).map((file) => relative(journalDir, file).replaceAll("\\", "/"));
  const all = [...new Set([...before, ...files])].toSorted();
  if (all.length === before.length) return;
  await writeFileAtomic(path, `${JSON.stringify({ v: 1, files: all }, null, 2)}\n`, { isPrivate: true });
}

type SealedFacts = Pick<Resolved, "splits" | "skillList" | "journalDir">;

const sealedSchema = z.object({ files: z.array(z.string()) });

/** A list that cannot be read is written anew. */
function readSealed(path: string): readonly string[] {
  try {
    return sealedSchema.parse(JSON.parse(readIfThere(path)?.toString() ?? "")).files;
  } catch {
    return [];
  }
}
