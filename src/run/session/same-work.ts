import { glob, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { type KnownProject, isGone, isInState, knownProjects } from "../../config/journal-place.ts";
import { skillIdentity } from "../../core/skill/hash.ts";
import { taskHash } from "../../core/tasks/task-hash.ts";
import { manifestSchema, readSoundJson } from "../reports/recorded-rollouts.ts";

/** Before a project's first run: a sentence about another project with results for the same skill and tasks. */
export async function sameWorkElsewhere({
  journalDir,
  skill,
  splits,
}: Resolved): Promise<string | undefined> {
  if (!isInState(journalDir) || existsSync(join(journalDir, "runs"))) return undefined;
  const work = {
    skill: skillIdentity(skill),
    tasks: new Set(Object.values(splits).flat().map(taskHash)),
  };
  for (const known of knownProjects())
    if (known.journalDir !== journalDir && (await hasWork(known, work))) return sentenceOf(known);
  return undefined;
}

function sentenceOf(known: KnownProject): string {
  const { project, journalDir } = known;
  const way = isGone(known)
    ? `that folder is gone; if it moved here, stop and run: whetstone journal move '${project}'`
    : `to use its results, stop and add --journal '${journalDir}'`;
  return `${project} has a run with the same skill and tasks; ${way}`;
}

async function hasWork(
  { journalDir }: KnownProject,
  { skill, tasks }: { readonly skill: string; readonly tasks: ReadonlySet<string> },
): Promise<boolean> {
  for await (const name of glob("runs/*/config.json", { cwd: journalDir })) {
    const path = join(journalDir, name);
    if ((await stat(path)).size >= mostBytes) continue;
    const { data } = manifestSchema.safeParse(await readSoundJson(path));
    const listed = Object.values(data?.splits ?? {}).flat();
    if (data?.skill?.hash === skill && listed.some(({ hash }) => tasks.has(hash))) return true;
  }
  return false;
}

const mostBytes = 4_000_000;
