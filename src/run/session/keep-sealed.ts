import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { hashBytes } from "../../core/canonical.ts";
import { readIfThere } from "../offer/live-skill.ts";

/**
 * Keeps hashes of the files that contain or grade test tasks in `sealed.json` in the journal's folder, and reports which of
 * them changed since an earlier run used them. It prevents nothing, but the verdict shows it.
 */
export async function keepSealed(
  run: string,
  { splits, skillList, journalDir }: Pick<Resolved, "splits" | "skillList" | "journalDir">,
): Promise<string> {
  if (splits.test.length === 0) return "";
  const path = join(journalDir, "sealed.json");
  const known = readSealed(path);
  const files = { ...known };
  for (const file of new Set(skillList?.except)) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const hash = hashBytes(readFileSync(file));
    const before = known[file];
    if (before?.hash !== hash) files[file] = { hash, run, ...(before && { after: before.run }) };
  }
  await writeFileAtomic(path, `${JSON.stringify({ v: 2, files }, null, 2)}\n`, { isPrivate: true });
  const changed = Object.entries(files).filter(([, file]) => file.run === run && file.after !== undefined);
  if (changed.length === 0) return "";
  const names = changed.map(([file, { after = "" }]) => `${basename(file)} (since run ${after.slice(0, 8)})`);
  return ` Sealed files changed: ${names.join(", ")}.`;
}

const sealedSchema = z.object({
  v: z.literal(2),
  /** By absolute path: the hash, the first run that used these bytes, and the run that used different ones before. */
  files: z.record(z.string(), z.object({ hash: z.string(), run: z.string(), after: z.string().optional() })),
});

/** An unreadable list is rewritten. */
function readSealed(path: string): z.output<typeof sealedSchema>["files"] {
  try {
    return sealedSchema.parse(JSON.parse(readIfThere(path)?.toString() ?? "")).files;
  } catch {
    return {};
  }
}
