import { existsSync } from "node:fs";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { handoffFolder } from "../../config/resolve/resolve-model.ts";
import { hashJson } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Cost } from "../../core/cost.ts";
import { mergeMined } from "../mine/merge-mined.ts";
import { type Mined, mineConversations } from "../mine/mine.ts";
import { writeTaskRows } from "../memory/tasks-file.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { perform } from "../../run/verbs/perform.ts";
import type { Verb } from "../../run/verbs/verb.ts";
import { clearHandoff } from "./clear-handoff.ts";
import { readConsent } from "../consent.ts";
import { gather } from "./gather.ts";
import { openRedactor } from "./pin-night.ts";
import { openPlace } from "../place.ts";
import { nightStart, resolveNight } from "./resolve-night.ts";
import type { NightOptions } from "./night-summary.ts";
import { noNights, stateFile } from "../state.ts";

export interface MinedFile {
  readonly file: string;
  readonly conversations: number;
  readonly tasks: number;
  /** Why finds were dropped. */
  readonly dropped: readonly string[];
  readonly spent: Cost;
}

/** Finds tasks in new conversations and writes them to a file for a person to review; `sleep run --tasks` reads it. */
export async function mineIntoFile(file: string, force: boolean, options: NightOptions): Promise<MinedFile> {
  if (existsSync(file) && !force)
    throw new WhetstoneError("usage", `${file} already exists.`, {
      hint: "Name another file, or add --force to overwrite it.",
    });
  const place = openPlace(options);
  const { journalDir, settings } = place;
  const consent = readConsent(journalDir);
  const state = stateFile(journalDir).read() ?? noNights;
  const redactor = await openRedactor(place);
  const { conversations } = await gather(
    { place, consent, state, redactor, now: Date.now() },
    settings.maxConversations,
  );
  const resolved = await resolveNight({ place, consent, redactor, commits: [] }, options);
  const night = conversations.map(({ id, endedAt }) => [id, endedAt]);
  const journal = await openJournal(place);
  const verb: Verb<Mined, MinedFile> = {
    command: "sleep",
    roles: ["miner"],
    resolved,
    id: hashJson({ command: "harvest", night, models: resolved.models }).slice(0, 16),
    folder: journalDir,
    start: { ...nightStart("harvest", settings), models: resolved.models },
    isReported: false,
    run: (context) => mineConversations(conversations, { verify: settings.verify }, context),
    async tell(mined, { run, spent }) {
      const tasks = mergeMined(mined.tasks, state.archive);
      await writeFileAtomic(file, (await redactor.redact(writeTaskRows(tasks))).text, { isPrivate: true });
      await clearHandoff(run, journal, resolved, handoffFolder(place.config, place.project));
      const dropped = mined.dropped.map(({ conversation, reason }) => `${conversation}: ${reason}`);
      const summary = { file, conversations: conversations.length, tasks: tasks.length, dropped, spent };
      return { sentence: `${tasks.length} tasks to review.`, summary, logged: null };
    },
  };
  try {
    const { signal, onEvent, clock } = options;
    return (await perform(verb, { journal, signal, onEvent, clock, artifacts: false })).summary;
  } finally {
    await journal.close();
  }
}
