import type { NightSource, RunOverview } from "../../report/model.ts";
import { adoptProposal } from "../../run/offer/adopt-proposal.ts";
import { decideOnProposal, rejectRule } from "../../run/offer/decide-on-proposal.ts";
import { rejectProposal, undoProposal } from "../../run/offer/offers.ts";
import { readHelped, readNightReport, readNights } from "../../sleep/read-nights.ts";
import { readNightProposal, readNightProposals } from "../../run/offer/read-proposals.ts";

/** The nights of one project on this machine. */
export function localNights(
  journalDir: string,
  waitingRuns: () => Promise<readonly RunOverview[]>,
): NightSource {
  const read = (id: string) => readNightProposal(journalDir, id);
  return {
    nights: async () => readNights(journalDir),
    nightReport: async (id) => readNightReport(journalDir, id),
    proposals: async () => ({
      nights: readNightProposals(journalDir),
      runs: await waitingRuns(),
      helped: readHelped(journalDir),
    }),
    proposal: async (id) => read(id),
    async decide(id, decisions) {
      read(id);
      await decideOnProposal({ journalDir, id, decisions });
      return read(id);
    },
    async adopt(id, { hash: shown, acknowledge, merge, unproven }) {
      read(id);
      return (await adoptProposal({ journalDir, id, shown, acknowledge, merge, unproven })).lines;
    },
    async reject(id, { rule, reason }) {
      read(id);
      if (rule === undefined) await rejectProposal({ journalDir, id, reason });
      else await rejectRule({ journalDir, id, rule, reason });
      return read(id);
    },
    async undo(id) {
      read(id);
      return (await undoProposal({ journalDir, id })).lines;
    },
  };
}
