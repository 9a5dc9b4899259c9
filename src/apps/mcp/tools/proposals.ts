import { z } from "zod";
import { listWaitingRuns } from "../../../run/reports/read-report.ts";
import { withJournal } from "../../../run/session/open-if-there.ts";
import { projectPlace } from "../../../run/project-options.ts";
import { readNightProposals } from "../../../run/offer/read-proposals.ts";
import { plural } from "../../../core/plural.ts";
import { line } from "../printable.ts";
import { defineTool, reads } from "../tool.ts";

const most = 20;

export const proposalsTool = defineTool({
  title: "Waiting proposals",
  description:
    "Lists everything that could be adopted now: waiting proposals of trainings and of nights. Read-only.",
  input: z.strictObject({}),
  output: z.strictObject({
    trainings: z.array(
      z.strictObject({ run: z.string(), verdict: z.string().nullable(), sentence: z.string() }),
    ),
    nights: z.array(z.strictObject({ run: z.string(), document: z.string(), waiting: z.int() })),
  }),
  kind: "looks",
  annotations: reads,
  async call(_, call) {
    const place = projectPlace(await call.project());
    const waiting = await withJournal(place, async (journal) =>
      journal === undefined ? [] : listWaitingRuns(journal, place.journalDir),
    );
    const trainings = waiting
      .slice(0, most)
      .map(({ id, verdict = null, sentence }) => ({ run: id, verdict, sentence: line(sentence) }));
    const nights = readNightProposals(place.journalDir)
      .filter((one) => one.waiting > 0)
      .slice(0, most)
      .map((one) => ({ run: one.id, document: line(one.document.name), waiting: one.waiting }));
    const text = [
      ...trainings.map(({ run, sentence }) => `training ${run}: ${sentence}`),
      ...nights.map((one) => `night ${one.run}: ${plural(one.waiting, "rule")} for ${one.document}`),
    ];
    return {
      text:
        text.length === 0
          ? "Nothing is waiting."
          : [...text, "", "Next: diff a training, review a night"].join("\n"),
      data: { trainings, nights },
    };
  },
});
