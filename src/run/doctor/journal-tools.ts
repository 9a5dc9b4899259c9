import { checkSqlite as check, type JournalCheck } from "../../adapters/journals/check.ts";
import { checkPostgres } from "../../adapters/journals/postgres/check-postgres.ts";
import { type Collected, collectPostgres } from "../../adapters/journals/postgres/collect-postgres.ts";
import type { JournalPlace } from "../../adapters/journals/open-journal.ts";
import { rewriteSqlite } from "../../adapters/journals/sqlite/rewrite-sqlite.ts";
import { type Salvage, salvageSqlite as salvage } from "../../adapters/journals/sqlite/salvage.ts";
import { finishReplacement, refuseReplacement } from "../../adapters/journals/writers-lock.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import { standingNames } from "../../core/measure/claim-log.ts";
import { isRemoved, listRuns } from "../reports/runs.ts";

/**
 * Drops the entries of removed runs, except results that a remaining run used. Entries that matter beyond single runs stay.
 * No other process may use a journal folder during this; a shared journal may stay in use.
 */
export async function collectGarbage({ journalDir, journalUrl }: JournalPlace): Promise<Collected> {
  return journalUrl === undefined ? collectFolder(journalDir) : collectShared(journalUrl);
}

function collectShared(url: string): Promise<Collected> {
  return collectPostgres(url, { remaining: readRemaining, isRemoved, outliving });

  async function outliving(journal: Journal, run: string): Promise<readonly number[]> {
    const numbers: number[] = [];
    for await (const { seq } of journal.read({ run, kinds: ["event"], names: standingNames }))
      numbers.push(seq);
    return numbers;
  }
}

async function collectFolder(dir: string): Promise<Collected> {
  let results = 0;
  const rewrite = await rewriteSqlite(dir, async (journal) => {
    const remaining = await readRemaining(journal);
    const used = await readUsed(journal, remaining);
    const keep = (entry: Entry): boolean =>
      remaining.has(entry.run) || (entry.kind === "result" && used.has(entry.key)) || isStanding(entry.name);
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

const isStanding = (name: string): boolean => (standingNames as readonly string[]).includes(name);

const readRemaining = async (journal: Journal): Promise<ReadonlySet<string>> =>
  new Set((await listRuns(journal)).map(({ run }) => run));

/** A run that bought a result a second time used the first one, so both kinds of entries count as use. */
async function readUsed(journal: Journal, remaining: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for await (const { run, key } of journal.read({ kinds: ["use", "duplicate"] }))
    if (remaining.has(run)) used.add(key);
  return used;
}

/** Reads a whole journal and reports what is wrong with it. */
export async function checkJournal({ journalDir, journalUrl }: JournalPlace): Promise<JournalCheck> {
  if (journalUrl !== undefined) return checkPostgres(journalUrl);
  refuseReplacement(journalDir);
  return check(journalDir);
}

/** Copies every intact row into a new journal. */
export async function salvageJournal(dir: string, to: string): Promise<Salvage> {
  finishReplacement(dir);
  return salvage(dir, to);
}
