import { WhetstoneError } from "../../core/errors.ts";
import type { OfferSource, RunOverview } from "../../report/model.ts";
import { adoptOffer } from "../../run/offer/adopt.ts";
import { chooseRules, rejectProposal } from "../../run/offer/choose.ts";
import { listProposals, nightRun } from "../../run/offer/offers.ts";
import type { FinishedRun } from "../../run/offer/proposal.ts";
import { readNightProposals, readOffer } from "../../run/offer/read-proposals.ts";
import { undoOffer } from "../../run/offer/undo.ts";
import { readHelped } from "../../sleep/read-nights.ts";

export interface LocalRuns {
  /** Runs whose proposal waits. */
  readonly waiting: () => Promise<readonly RunOverview[]>;
  /** A run of the journal by its whole id. */
  readonly find: (id: string) => Promise<FinishedRun>;
}

/** The proposals of one project's trainings, prunings and nights. An id is looked up, never made into a path. */
export function localOffers(journalDir: string, runs: LocalRuns): OfferSource {
  const find = async (id: string): Promise<FinishedRun> => {
    if (listProposals(journalDir).some((one) => one.id === id)) return nightRun(journalDir, id);
    return runs.find(id).catch((error: unknown) => {
      if (!(error instanceof WhetstoneError && error.code === "not-found")) throw error;
      throw new WhetstoneError("not-found", `There is no proposal "${id}".`, {
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
    adopt: async (id, options) => (await adoptOffer(await find(id), options)).lines,
    async reject(id, { reason }) {
      const run = await find(id);
      await rejectProposal(run, reason);
      return readOffer(run);
    },
    undo: async (id) => (await undoOffer(await find(id))).lines,
  };
}
