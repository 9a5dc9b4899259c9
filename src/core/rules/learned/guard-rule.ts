import { findPowers } from "../../guard/capability-diff.ts";
import { wordKey } from "../../guard/leak-words.ts";
import type { Power } from "../../guard/power.ts";
import { sharesText } from "../../guard/shared-text.ts";
import { findUnsafeText } from "../../offer/find-unsafe-text.ts";
import { forgesMarker } from "../../skill/regions.ts";
import { mainText, type Skill } from "../../skill/skill.ts";
import { editRules } from "./learned-block.ts";
import type { Provenance, LearnedRule, LearnedEdit } from "./learned-rule.ts";

export interface GuardFacts {
  /** The current document. */
  readonly document: Skill;
  readonly provenance: Provenance;
  readonly origin: LearnedRule["origin"];
  /** Fingerprints of text that came from tools, pages and pastes but not from the person, over all its conversations. */
  readonly untrusted: ReadonlySet<string>;
  /** The person's typed text. */
  readonly stated: readonly string[];
}

export type Guarded =
  | {
      readonly ok: true /** The powers that a person must acknowledge before it goes live. */;
      readonly powers: readonly Power[];
    }
  | { readonly ok: false /** A sentence. */; readonly reason: string };

/** Whether a rule may be tested and offered at all, judging by its words and their origin. */
export function guardRule(edit: LearnedEdit, facts: GuardFacts): Guarded {
  const text = edit.op === "delete" ? "" : edit.text;
  const live = mainText(facts.document);
  const reason =
    refuseLength(text) ?? refuseMarkers(text) ?? refuseHidden(live, text) ?? refuseOrigin(text, facts);
  return reason === undefined
    ? { ok: true, powers: findPowers(live, applied(live, edit)) }
    : { ok: false, reason };
}

function refuseLength(text: string): string | undefined {
  return text.length > maxRuleCharacters
    ? `The rule has ${text.length} characters; the limit is ${maxRuleCharacters}.`
    : undefined;
}

function refuseMarkers(text: string): string | undefined {
  return forgesMarker(text) ? "The rule contains something like one of our region markers." : undefined;
}

function refuseHidden(live: string, text: string): string | undefined {
  const [first] = findUnsafeText(live, `${live}\n${text}`);
  return first === undefined ? undefined : `The rule contains hidden text: ${first.what}.`;
}

function refuseOrigin(
  text: string,
  { provenance, origin, untrusted, stated }: GuardFacts,
): string | undefined {
  if (sharesText(text, untrusted, stated))
    return "Its words come from tool output, a file, a page or a paste; nobody typed them.";
  const conversations = new Set(provenance.conversations).size;
  if (conversations >= minConversations || (origin === "stated" && isTyped(text, stated))) return undefined;
  return `It comes from ${conversations === 1 ? "one conversation" : "no conversation"}; a rule that nobody typed needs ${minConversations}.`;
}

// the miner may call anything stated, so the words decide
function isTyped(text: string, stated: readonly string[]): boolean {
  const typed = stated.map((each) => ` ${wordKey(each)} `);
  return text
    .split("\n")
    .map(wordKey)
    .every((line) => line === "" || typed.some((words) => words.includes(` ${line} `)));
}

function applied(live: string, edit: LearnedEdit): string {
  const edited = editRules(live, edit);
  // an edit that doesn't fit is refused elsewhere, but its words are examined anyway
  return edited.ok ? edited.text : `${live}\n${edit.op === "delete" ? "" : edit.text}`;
}

/** About 300 words. */
export const maxRuleCharacters = 2000;

const minConversations = 2;
