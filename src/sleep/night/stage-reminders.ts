import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isInState } from "../../config/journal-place.ts";
import { oneLine } from "../../core/one-line.ts";
import type { RawConversation } from "../../core/ports/conversation.ts";
import { type TalkActs, makeCheck } from "../../core/reminders/make-reminder.ts";
import { reminderText, remindersFile } from "../../core/reminders/reminder.ts";
import type { Staged } from "../../core/offer/make-review.ts";
import { waitingRules } from "../../core/offer/review.ts";
import { readRules } from "../../core/rules/learned/learned-block.ts";
import { mainText, singleFileSkill } from "../../core/skill/skill.ts";
import { listProposals } from "../../run/offer/offers.ts";
import { stageProposal } from "../../run/offer/stage.ts";
import { wishConversations } from "../wishes/review-wish.ts";
import { type Wish, conversationsOf, firstWording, relapsesOf } from "../wishes/wish.ts";
import { newRule } from "./consolidate.ts";
import type { Consent } from "../consent.ts";
import { allowed } from "./gather.ts";
import { harvest } from "./harvest.ts";
import { conversationId } from "./ingest.ts";
import { type ProposalSummary, type StageNightInput, summarizeProposal } from "./stage-night.ts";

/**
 * Offers a reminder for each adopted rule that the person had to say again, if tool calls show what breaks it. It reads all
 * conversations again and keeps nothing of them. The plugin's hook only looks for the file in the state folder.
 * `reminded`: ids of the wishes that have a reminder or are offered one.
 */
export async function stageReminders(
  work: Pick<StageNightInput, "place" | "pinned" | "redactor" | "now"> & { readonly consent: Consent },
  wishes: readonly Wish[],
): Promise<{ readonly proposals: readonly ProposalSummary[]; readonly reminded: ReadonlySet<string> }> {
  const { place, consent, pinned, redactor, now } = work;
  const { journalDir } = place;
  const relapsed = wishes.filter((wish) => relapsesOf(wish).length > 0);
  const reminded = new Set<string>();
  if (relapsed.length === 0 || !isInState(journalDir)) return { proposals: [], reminded };
  const { conversations: talks } = await harvest({
    ...allowed({ place, consent, now: pinned.at }),
    harvested: {},
    max: Number.POSITIVE_INFINITY,
    prepare: async ({ id, source, turns, calls = [] }): Promise<Talk> => ({ id, source, turns, calls }),
  });
  const name = remindersFile;
  const path = join(journalDir, "sleep", name);
  const skill = singleFileSkill(existsSync(path) ? readFileSync(path, "utf8") : "", name);
  const document = { id: name, kind: "memory", scope: "personal", name, path, skill } as const;
  const others = listProposals(journalDir).filter(({ night }) => night !== pinned.id);
  const offered = others.filter((one) => one.document.id === name);
  const rules: Staged[] = [];
  for (const wish of relapsed) {
    const staged = remind(wish, talks);
    if (staged === undefined || (await redactor.redact(staged.looked.text)).found.length > 0) continue;
    const last = offered.findLast((one) => one.rules.some(({ id }) => id === staged.rule.id));
    const deed = last?.rules.find(({ id }) => id === staged.rule.id)?.decision?.deed;
    const isDropped = deed === "drop" && lastSaid(wish) < (last?.decidedAt ?? 0);
    const isThere = readRules(mainText(skill)).includes(staged.looked.text);
    if (deed === "reject") continue;
    reminded.add(wish.id);
    if (!isDropped && !isThere) rules.push(staged);
  }
  // don't repeat a waiting proposal
  const waiting = new Set(offered.flatMap(waitingRules).map(({ id }) => id));
  if (rules.every(({ rule }) => waiting.has(rule.id))) return { proposals: [], reminded };
  const staged = { document, rules, now, night: pinned.id, gate: "on", rejected: [] } as const;
  const review = await stageProposal({ journalDir, ...staged });
  return { proposals: review === undefined ? [] : [summarizeProposal(review, document)], reminded };
}

/** When the person last corrected an agent about it; 0 if never. */
const lastSaid = ({ said }: Wish): number =>
  Math.max(0, ...said.map(({ kind, at }) => (kind === "correction" ? at : 0)));

type Talk = Required<Pick<RawConversation, "id" | "source" | "turns" | "calls">>;

function remind(wish: Wish, talks: readonly Talk[]) {
  const message = oneLine(firstWording(wish)?.text ?? wish.state.quote ?? "", 300);
  const said = [message, ...wish.said.map(({ text }) => text)].join(" ");
  const acts = talks.map((talk) => actsBefore(wish, talk));
  const made = makeCheck(acts, said, wish.id);
  if (made === undefined || message === "") return undefined;
  const edit = { op: "add", text: reminderText({ ...made.check, message }) } as const;
  const from = { conversations: conversationsOf(wish), tasks: [] };
  const rule = newRule({ id: remindersFile }, edit, "stated", from);
  return {
    rule: { ...rule, status: "stated", reason: "You had to say it again." },
    conversations: wishConversations(wish),
    stops: made.test,
    powers: [],
    // its text comes from a rule that the person adopted
    looked: { by: "whetstone", text: edit.text, powers: [] },
  } as const;
}

/** A conversation's calls, and how many came before the person's first correction. */
function actsBefore({ said }: Wish, { calls, turns, ...talk }: Talk): TalkActs {
  const id = conversationId(talk);
  const own = said.filter(({ conversation, kind }) => conversation === id && kind === "correction");
  const at = turns.findIndex(({ prompt }) => own.some(({ text }) => text !== "" && prompt.includes(text)));
  const before = calls.filter(({ prompts }) => at < 0 || prompts <= at).length;
  return { calls: calls.map(({ acts }) => acts), ...(own.length === 0 ? {} : { before }) };
}
