import { findPowers } from "../../core/guard/capability-diff.ts";
import { oneLine } from "../../core/one-line.ts";
import type { Staged } from "../../core/offer/make-review.ts";
import { applyRules } from "../../core/rules/learned/apply-rules.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { mainText } from "../../core/skill/skill.ts";
import { noteWaiting } from "../../run/offer/offers.ts";
import { stageProposal } from "../../run/offer/stage.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { type Consent, readConsent } from "../consent.ts";
import { routeWishes } from "../memory/route-tasks.ts";
import { ownWishes, sharingJournals } from "../memory/shared-wishes.ts";
import { type SleepPlace, openPlace } from "../place.ts";
import { nextNight, noNights, stateFile } from "../state.ts";
import { noteCorrections } from "../wishes/note-corrections.ts";
import { reviewWish, wishConversations } from "../wishes/review-wish.ts";
import type { Wish } from "../wishes/wish.ts";
import { newRule } from "./consolidate.ts";
import { gather, sourcesInUse } from "./gather.ts";
import type { NightOptions } from "./night-summary.ts";
import { holdNight } from "./perform-night.ts";
import { openRedactor } from "./pin-night.ts";
import { type ProposalSummary, summarizeProposal } from "./stage-night.ts";
import { syncState } from "./sync-rules.ts";

/**
 * Offers the person's corrections from unread conversations, in their own words and without API calls. The night still
 * reads these conversations as if nothing had been noted.
 */
export async function noteToday(options: NightOptions): Promise<readonly ProposalSummary[]> {
  const place = openPlace(options);
  const consent = readConsent(place.journalDir);
  const lock = holdNight(place.journalDir);
  try {
    return await offerNoted(place, consent, (options.clock ?? systemClock).now());
  } finally {
    lock.release();
  }
}

async function offerNoted(
  place: SleepPlace,
  consent: Consent,
  at: number,
): Promise<readonly ProposalSummary[]> {
  const { journalDir } = place;
  const file = stateFile(journalDir);
  const state = syncState(file.read() ?? noNights, journalDir, sharingJournals(journalDir, consent));
  const redactor = await openRedactor(place);
  const { maxConversations } = place.settings;
  const gathered = await gather({ place, consent, state, redactor, now: at }, maxConversations);
  const { conversations, documents } = gathered;
  const noted = noteCorrections(state.wishes, conversations, at);
  const wishes = routeWishes(noted, documents, sourcesInUse(conversations, state.archive));
  const known = new Set(state.wishes.map(({ id }) => id));
  const fresh = wishes.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return [];
  const proposals: ProposalSummary[] = [];
  for (const document of documents) {
    const own = fresh.filter((wish) => wish.documents.includes(document.id));
    const rules = own.map((wish) => stage(wish, wishes, document));
    const staged = { document, rules, night: nextNight(state), gate: "off", rejected: [] } as const;
    const review =
      rules.length === 0 ? undefined : await stageProposal({ journalDir, now: () => at, ...staged });
    if (review !== undefined) proposals.push(summarizeProposal(review, document));
  }
  await file.write(ownWishes({ ...state, wishes }));
  await noteWaiting(journalDir);
  return proposals;
}

function stage(wish: Wish, wishes: readonly Wish[], document: Document): Staged {
  const text = oneLine(wish.said.at(-1)?.text ?? "", 500);
  const rule = newRule(document, { op: "add", text }, "stated", { conversations: [], tasks: [] });
  const staged = { ...rule, wish: wish.id, status: "stated", reason: "You said it today." } as const;
  return {
    rule: staged,
    conversations: wishConversations(wish),
    wish: reviewWish({ wish, wishes, tasks: [], answers: [] }),
    powers: findPowers(mainText(document.skill), mainText(applyRules(document, [staged]).skill)),
  };
}
