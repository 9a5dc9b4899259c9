import { checkJournal as check, type JournalCheck } from "../adapters/journals/check.ts";
import { rewriteSqlite, type Rewrite } from "../adapters/journals/rewrite-sqlite.ts";
import { type Salvage, salvageJournal as salvage } from "../adapters/journals/salvage.ts";
import { finishReplacement } from "../adapters/journals/writers-lock.ts";
import type { Entry, Journal } from "../core/ports/journal.ts";
import { sealedRead } from "../core/stages/seal.ts";
import { listRuns } from "./runs.ts";

export interface Garbage extends Rewrite {
  /** Results among the dropped entries. */
  readonly results: number;
}

/** Drops what belongs to removed runs, except results that a remaining run used. Reads of a test set stay counted. */
export async function collectGarbage(dir: string): Promise<Garbage> {
  let results = 0;
  const rewrite = await rewriteSqlite(dir, async (journal) => {
    const { remaining, used } = await readUses(journal);
    const keep = ({ run, kind, key, name }: Entry): boolean =>
      remaining.has(run) || (kind === "result" && used.has(key)) || name === sealedRead;
    let dropped = 0;
    for await (const entry of journal.read()) {
      if (keep(entry)) continue;
      dropped += 1;
      if (entry.kind === "result") results += 1;
    }
    return dropped === 0 ? undefined : keep;
  });
  return { ...rewrite, results };
}

async function readUses(journal: Journal) {
  const remaining = new Set((await listRuns(journal)).map(({ run }) => run));
  const used = new Set<string>();
  for await (const { run, key } of journal.read({ kinds: ["use"] })) if (remaining.has(run)) used.add(key);
  return { remaining, used };
}

/** Reads a whole journal and says what is wrong with it. */
export async function checkJournal(dir: string): Promise<JournalCheck> {
  finishReplacement(dir);
  return check(dir);
}

/** Copies every sound row into a new journal. */
export async function salvageJournal(dir: string, to: string): Promise<Salvage> {
  finishReplacement(dir);
  return salvage(dir, to);
}
