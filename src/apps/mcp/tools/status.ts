import { z } from "zod";
import { WhetstoneError } from "../../../core/errors.ts";
import { runOverview } from "../../../report/run-overview.ts";
import { listRuns } from "../../../run/reports/runs.ts";
import { withJournal } from "../../../run/session/open-if-there.ts";
import { projectPlace } from "../../../run/project-options.ts";
import { sleepStatus } from "../../../sleep/status.ts";
import { listLines } from "../../../show/list-lines.ts";
import { line } from "../printable.ts";
import { defineTool, reads } from "../tool.ts";

const mostRuns = 10;

export const statusTool = defineTool({
  title: "Status",
  description:
    "Reports Whetstone's work in this project: the latest runs with their verdicts, whether a training is running, and what nights ask of the person. Read-only; makes no API calls.",
  input: z.strictObject({}),
  output: z.strictObject({
    training: z.boolean().describe("whether a training or a night is running in this server"),
    runs: z
      .array(
        z.strictObject({
          run: z.string(),
          command: z.string(),
          status: z.string(),
          verdict: z.string().nullable(),
          sentence: z.string(),
        }),
      )
      .describe("latest first"),
    more: z.int().describe("the number of runs that aren't listed"),
    nights: z.string().nullable().describe("what nights ask of the person; null without nights"),
  }),
  kind: "looks",
  annotations: reads,
  async call(_, call) {
    const place = projectPlace(await call.project());
    const all = await withJournal(place, async (journal) =>
      journal === undefined ? [] : (await listRuns(journal)).toReversed(),
    );
    const runs = all.slice(0, mostRuns);
    const nights = headlineOf(place.journalDir);
    const text = [
      ...(call.isTraining ? ["A training or a night is running in this server."] : []),
      ...(runs.length === 0
        ? ["No runs yet. Next: plan, which estimates what a training would cost and could show."]
        : listLines(runs, Date.now())),
      ...(nights === undefined ? [] : ["", `Nights: ${nights}`]),
    ].join("\n");
    return {
      text,
      data: {
        training: call.isTraining,
        runs: runs.map(runOverview).map(({ id, command, status, verdict = null, sentence }) => ({
          run: id,
          command,
          status,
          verdict,
          sentence: line(sentence),
        })),
        more: all.length - runs.length,
        nights: nights === undefined ? null : line(nights),
      },
    };
  },
});

function headlineOf(journalDir: string): string | undefined {
  try {
    return sleepStatus(journalDir).headline;
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "not-opted-in") return undefined;
    throw error;
  }
}
