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
  /** Models for which a subscription pays. */
  readonly logins: readonly string[];
}

/** What the next night would take, said without a call and without a trace; why it cannot be said, where models are missing. */
export async function planAhead(
  { place, state, redactor, ...gathered }: LookedAhead,
  cwd: string,
): Promise<NightPlan | string> {
  if (gathered.conversations.length === 0 && gathered.tasks === undefined) return "Nobody would be called.";
  if (!hasModel(place.config, place.env) && gathered.tasks === undefined)
    return "No model is named and no key is set: a night would note your corrections in your own words, without a call. Nothing would be worded or measured.";
  const consent = readConsent(place.journalDir);
  let resolved: Resolved;
  try {
    resolved = await resolveNight({ place, consent, redactor, commits: [] }, { cwd });
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return `What it would cost cannot be said: ${error.message}`;
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
