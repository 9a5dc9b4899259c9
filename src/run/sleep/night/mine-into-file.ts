import { existsSync } from "node:fs";
import { openJournal } from "../../../adapters/journals/open-journal.ts";
import { handoffFolder } from "../../../config/resolve/resolve-model.ts";
import { hashJson } from "../../../core/canonical.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Cost } from "../../../core/cost.ts";
import { mergeMined } from "../../../core/sleep/mine/merge-mined.ts";
import { mineConversations } from "../../../core/sleep/mine/mine.ts";
import { writeTaskRows } from "../../../core/sleep/memory/tasks-file.ts";
import { writeFileAtomic } from "../../adopt/atomic-file.ts";
import { preflight } from "../../session/preflight.ts";
import { runInSession } from "../../session/run-in-session.ts";
import { refuseUnknownPrices } from "../../verbs/train-run.ts";
import { clearHandoff } from "./clear-handoff.ts";
import { readConsent } from "../consent.ts";
import { gather, openRedactor } from "./pin-night.ts";
import { openPlace } from "../place.ts";
import { nightStart, resolveNight } from "./resolve-night.ts";
import type { NightOptions } from "./night.ts";
import { noNights, stateFile } from "../state.ts";

export interface MinedFile {
  readonly file: string;
  readonly conversations: number;
  readonly tasks: number;
  /** Why finds were not taken. */
  readonly dropped: readonly string[];
  readonly spent: Cost;
}

/** Finds tasks in what is new and writes them down for a person to review; `sleep run --tasks` takes them from there. */
export async function mineIntoFile(file: string, force: boolean, options: NightOptions): Promise<MinedFile> {
  if (existsSync(file) && !force)
    throw new WhetstoneError("usage", `${file} is there already.`, {
      hint: "Name another file, or add --force to write over it.",
    });
  const place = openPlace(options);
  const { journalDir, settings } = place;
  const consent = readConsent(journalDir);
  const state = stateFile(journalDir).read() ?? noNights;
  const redactor = await openRedactor(place);
  const { conversations } = await gather(place, consent, state, redactor, Date.now());
  const resolved = await resolveNight({ place, consent, redactor, commits: [] }, options);
  refuseUnknownPrices(resolved, ["miner"]);
  const night = conversations.map(({ id, endedAt }) => [id, endedAt]);
  const run = hashJson({ command: "harvest", night, models: resolved.models }).slice(0, 16);
  const journal = await openJournal(place);
  try {
    const { signal, onEvent, clock } = options;
    const folder = journalDir;
    return await runInSession(
      { run, folder, resolved },
      { journal, signal, onEvent, clock, artifacts: false },
      async (session) => {
        const { context, spend } = session;
        context.emit(nightStart("harvest", folder, resolved, session, settings));
        await preflight(["miner"], context);
        const verify = settings.verify === undefined ? {} : { verify: settings.verify };
        const mined = await mineConversations(conversations, verify, context);
        const tasks = mergeMined(mined.tasks, state.archive);
        await writeFileAtomic(file, (await redactor.redact(writeTaskRows(tasks))).text, { isPrivate: true });
        await clearHandoff(run, journal, resolved, handoffFolder(place.config, place.project));
        const dropped = mined.dropped.map(({ conversation, reason }) => `${conversation}: ${reason}`);
        context.emit({
          type: "run-end",
          status: "done",
          message: `${tasks.length} tasks to review.`,
          cost: spend.spent(),
        });
        return {
          file,
          conversations: conversations.length,
          tasks: tasks.length,
          dropped,
          spent: spend.spent(),
        };
      },
    );
  } finally {
    await journal.close();
  }
}
