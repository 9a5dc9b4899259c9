import { existsSync } from "node:fs";
import { join } from "node:path";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { hasModel } from "../../config/resolve/resolve-models.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { planVerb } from "../../run/verbs/plan.ts";
import type { RunPlan } from "../../run/verbs/run-plan.ts";
import { readConsent } from "../consent.ts";
import { nextNight } from "../state.ts";
import type { LookedAhead } from "./look-ahead.ts";
import { nightMessage } from "./night-message.ts";
import { nightBefore } from "./night-verb.ts";
import { resolveNight } from "./resolve-night.ts";

export interface NightPlan extends RunPlan {
  /** For a person. */
  readonly message: string;
  /** Models paid by a subscription. */
  readonly logins: readonly string[];
}

/** Estimates the next night's cost without calls or traces. If models are missing, it says so in a sentence. */
export async function planAhead(
  { place, state, redactor, ...gathered }: LookedAhead,
  cwd: string,
): Promise<NightPlan | string> {
  if (gathered.conversations.length === 0 && gathered.tasks === undefined) return "No calls would be made.";
  if (!hasModel(place.config, place.env) && gathered.tasks === undefined)
    return "No model is named and no key is set. A night would note your corrections in your own words, without API calls. Nothing would be worded or measured.";
  const consent = readConsent(place.journalDir);
  let resolved: Resolved;
  try {
    resolved = await resolveNight({ place, consent, redactor, commits: [] }, { cwd });
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return `Its cost can't be estimated: ${error.message}`;
  }
  const isThere = existsSync(join(place.journalDir, "journal.db"));
  const journal = isThere ? await sqliteJournal({ dir: place.journalDir, readOnly: true }) : undefined;
  try {
    const matter = { place, state, resolved, pinned: { id: nextNight(state), at: 0, ...gathered } };
    const plan = await planVerb(nightBefore(matter), journal);
    return { ...plan, message: nightMessage(plan, matter), logins: resolved.logins ?? [] };
  } finally {
    await journal?.close();
    await resolved.close?.();
  }
}
