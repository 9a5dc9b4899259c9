import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type JournalPlace, openJournal } from "../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type {
  NightSource,
  OfferSource,
  ReportSource,
  RolloutReport,
  RunOverview,
} from "../../report/model.ts";
import type { FinishedRun } from "../../run/offer/proposal.ts";
import {
  type ReportMemory,
  createReportMemory,
  listRunOverviews,
  listWaitingRuns,
  readRollout,
  readRunReport,
  readStepReport,
} from "../../run/reports/read-report.ts";
import { listRuns, recordFolder } from "../../run/reports/runs.ts";
import { readNightReport, readNights, readHelped } from "../../sleep/read-nights.ts";
import { adoptOffer, alsoForLines } from "../../run/offer/adopt.ts";
import { chooseRules, rejectProposal } from "../../run/offer/choose.ts";
import { listProposals, nightRun } from "../../run/offer/offers.ts";
import { readNightProposals, readOffer } from "../../run/offer/read-proposals.ts";
import { undoOffer } from "../../run/offer/undo.ts";

/** The runs of one journal on this machine. */
export interface LocalReports extends Omit<ReportSource, "kind" | "rollout"> {
  rollout(id: string, ref: string): Promise<RolloutReport>;
  readonly offers: OfferSource;
  readonly sleep: NightSource;
  /** Closes everything that stays open between requests. */
  close(): Promise<void>;
}

/** Read-only, so it never holds up a run. */
export function localReports(place: JournalPlace): LocalReports {
  const { journalDir } = place;
  const { borrow, close } = place.journalUrl === undefined ? openAnew(place) : stayConnected(place);
  const memoryOf = keepMemory(place);
  const inTurn = oneAfterAnother();

  const reading = <T>(read: (journal: Journal) => Promise<T>): Promise<T> =>
    inTurn(async () => {
      const { journal, giveBack } = await borrow();
      try {
        return await read(journal);
      } finally {
        await giveBack();
      }
    });
  const ofRun = <T>(
    id: string,
    read: (journal: Journal, run: FinishedRun, memory: ReportMemory) => Promise<T>,
  ): Promise<T> =>
    reading(async (journal) => read(journal, await findRun(journal, id, journalDir), await memoryOf()));

  return {
    runs: () => orNone(reading((journal) => listRunOverviews(journal, dirname(journalDir)))),
    run: (id) =>
      ofRun(id, (journal, { run, folder }, memory) =>
        readRunReport(journal, run, folder, { journalDir, memory }),
      ),
    step: (id, step) =>
      ofRun(id, (journal, { run, folder }, memory) => readStepReport(journal, run, folder, step, { memory })),
    async rollout(id, ref) {
      const found = await ofRun(id, (journal, { run, folder }, memory) =>
        readRollout(journal, run, folder, ref, { memory }),
      );
      if (found !== undefined) return found;
      throw new WhetstoneError("not-found", "This run doesn't have that rollout.", {
        hint: "The run's page of tasks lists its rollouts.",
      });
    },
    offers: localOffers(journalDir, {
      waiting: () => orNone(reading((journal) => listWaitingRuns(journal, journalDir))),
      find: (id) => ofRun(id, async (_, run) => run),
    }),
    sleep: localNights(journalDir),
    close,
  };
}

/** An empty list before the first run, when the journal doesn't exist yet. */
const orNone = <T>(list: Promise<readonly T[]>): Promise<readonly T[]> =>
  list.catch((error: unknown) => {
    if (error instanceof WhetstoneError && error.code === "not-found") return [];
    throw error;
  });

interface Journals {
  readonly borrow: () => Promise<{ readonly journal: Journal; readonly giveBack: () => Promise<void> }>;
  readonly close: () => Promise<void>;
}

/** Opens the file for each request: `runs gc` may have replaced it. */
function openAnew(place: JournalPlace): Journals {
  return {
    async borrow() {
      const journal = await openJournal(place, { readOnly: true });
      return { journal, giveBack: () => journal.close() };
    },
    close: async () => {},
  };
}

/** Keeps one database connection: connecting takes longer than a query. */
function stayConnected(place: JournalPlace): Journals {
  let opened: Promise<Journal> | undefined;
  return {
    async borrow() {
      opened ??= openJournal(place, { readOnly: true });
      try {
        return { journal: await opened, giveBack: async () => {} };
      } catch (error) {
        opened = undefined;
        throw error;
      }
    },
    async close() {
      const journal = await opened?.catch(() => undefined);
      await journal?.close();
    },
  };
}

/** Finds a run by its full id. */
async function findRun(journal: Journal, id: string, journalDir: string): Promise<FinishedRun> {
  const found = (await listRuns(journal)).find(({ run }) => run === id);
  if (found !== undefined) return { run: found.run, folder: recordFolder(journalDir, found), journalDir };
  throw new WhetstoneError("not-found", `Run ${id} doesn't exist.`, {
    hint: "`whetstone runs` lists them.",
  });
}

/** Keeps what was read of a journal, until `runs gc` replaces the file and renumbers its rows. */
function keepMemory({ journalDir, journalUrl }: JournalPlace): () => Promise<ReportMemory> {
  let memory = createReportMemory();
  let file: number | undefined;
  return async () => {
    // a shared journal is never renumbered
    if (journalUrl !== undefined) return memory;
    const { ino } = await stat(join(journalDir, "journal.db"));
    if (ino !== file) memory = createReportMemory();
    file = ino;
    return memory;
  };
}

/** One at a time: two readers of one memory would both add new rows. */
function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/** The nights of one project on this machine. */
const localNights = (journalDir: string): NightSource => ({
  nights: async () => readNights(journalDir),
  nightReport: async (id) => readNightReport(journalDir, id),
});

interface LocalRuns {
  /** Runs with a waiting proposal. */
  readonly waiting: () => Promise<readonly RunOverview[]>;
  /** A run of the journal by its full id. */
  readonly find: (id: string) => Promise<FinishedRun>;
}

/** The proposals of a project's trainings, prunings and nights. An id is looked up, never made into a path. */
function localOffers(journalDir: string, runs: LocalRuns): OfferSource {
  const find = async (id: string): Promise<FinishedRun> => {
    if (listProposals(journalDir).some((one) => one.id === id)) return nightRun(journalDir, id);
    return runs.find(id).catch((error: unknown) => {
      if (!(error instanceof WhetstoneError && error.code === "not-found")) throw error;
      throw new WhetstoneError("not-found", `Proposal "${id}" doesn't exist.`, {
        hint: "`whetstone runs` and `whetstone review` list them.",
      });
    });
  };
  return {
    proposals: async () => ({
      nights: readNightProposals(journalDir),
      runs: await runs.waiting(),
      helped: readHelped(journalDir),
    }),
    proposal: async (id) => readOffer(await find(id)),
    async decide(id, decisions) {
      const run = await find(id);
      await chooseRules(run, decisions);
      return readOffer(run);
    },
    async adopt(id, options) {
      const adopted = await adoptOffer(await find(id), options);
      return [...adopted.lines, ...alsoForLines(adopted)];
    },
    async reject(id, { reason }) {
      const run = await find(id);
      await rejectProposal(run, reason);
      return readOffer(run);
    },
    undo: async (id) => (await undoOffer(await find(id))).lines,
  };
}
