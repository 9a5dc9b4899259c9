import { type Entry, type Journal, type ReadFilter, canonicalJson, sqliteJournal } from "../../src/ports.ts";
import { WhetstoneError } from "../../src/index.ts";

/** Everything but the first two is a failure of the proof. */
export type Verdict = "loud" | "harmless" | "silent" | "wrong error";

export interface Judgement {
  readonly verdict: Verdict;
  readonly detail: string;
}

/** Continues a run on the journal as a command would: everything promised is there, or it is refused. */
export async function judgeJournal(dir: string, promised: readonly Entry[]): Promise<Judgement> {
  try {
    const loss = (await continueRun(dir, promised)) ?? (await continueRun(dir, promised));
    return loss === undefined ? { verdict: "harmless", detail: "" } : { verdict: "silent", detail: loss };
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "journal-damaged") {
      return { verdict: "loud", detail: error.message };
    }
    return { verdict: "wrong error", detail: error instanceof Error ? (error.stack ?? "") : String(error) };
  }
}

/** Gives what is missing or changed. Ends with a write and a close, so that the next opening sees a checkpoint. */
async function continueRun(dir: string, promised: readonly Entry[]): Promise<string | undefined> {
  const journal = await sqliteJournal({ dir });
  try {
    const lock = await journal.lock("run-0");
    const loss = (await findLoss(journal, promised)) ?? (await findUnevenReads(journal));
    await journal.write({ kind: "event", run: "run-0", key: "", name: "continued", body: {} });
    await lock.release();
    return loss;
  } finally {
    await journal.close();
  }
}

async function findLoss(journal: Journal, promised: readonly Entry[]): Promise<string | undefined> {
  const all = new Map((await gather(journal)).map((entry) => [entry.seq, entry]));
  for (const entry of promised) {
    if (!same(all.get(entry.seq), entry)) return `row ${entry.seq} is missing or changed in read()`;
    if (entry.kind === "result" && !same(await journal.get(entry.key), entry)) {
      return `row ${entry.seq} is missing or changed in get()`;
    }
  }
  return undefined;
}

/** A filter must give what the whole journal gives, filtered here. */
async function findUnevenReads(journal: Journal): Promise<string | undefined> {
  const all = await gather(journal);
  const numbers = (entries: readonly Entry[]): string => entries.map(({ seq }) => seq).join();
  for (const run of ["run-0", "run-1", "run-2"]) {
    const found = numbers(await gather(journal, { run }));
    if (found !== numbers(all.filter((entry) => entry.run === run)))
      return `read() of ${run} leaves rows out`;
  }
  for (const name of ["run-start", "step-end", "rollout-end", "run-end"]) {
    const found = numbers(await gather(journal, { names: [name] }));
    if (found !== numbers(all.filter((entry) => entry.name === name)))
      return `read() of ${name} leaves rows out`;
  }
  return undefined;
}

async function gather(journal: Journal, filter?: ReadFilter): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read(filter)) entries.push(entry);
  return entries;
}

const same = (found: Entry | undefined, promised: Entry): boolean =>
  found !== undefined && canonicalJson({ ...found }) === canonicalJson({ ...promised });
