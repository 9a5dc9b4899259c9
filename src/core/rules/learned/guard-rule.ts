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
  /** The document as it is. */
  readonly document: Skill;
  readonly provenance: Provenance;
  readonly origin: LearnedRule["origin"];
  /** Fingerprints of what tools, pages and pastes said and the person did not, of every conversation it may come from. */
  readonly untrusted: ReadonlySet<string>;
  /** What the person typed. */
  readonly stated: readonly string[];
}

export type Guarded =
  | {
      readonly ok: true /** What a person must acknowledge before it goes live. */;
      readonly powers: readonly Power[];
    }
  | { readonly ok: false /** A sentence. */; readonly reason: string };

/** Whether a rule may be tested and offered at all, by its words and by where they come from. */
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
    ? `The rule has ${text.length} characters; a rule has at most ${maxRuleCharacters}.`
    : undefined;
}

function refuseMarkers(text: string): string | undefined {
  return forgesMarker(text) ? "The rule holds something like one of our region markers." : undefined;
}

function refuseHidden(live: string, text: string): string | undefined {
  const [first] = findUnsafeText(live, `${live}\n${text}`);
  return first === undefined ? undefined : `The rule holds hidden text: ${first.what}.`;
}

function refuseOrigin(
  text: string,
  { provenance, origin, untrusted, stated }: GuardFacts,
): string | undefined {
  if (sharesText(text, untrusted, stated))
    return "Its words come from the output of a tool, from a file, a page or a paste, and nobody typed them.";
  const conversations = new Set(provenance.conversations).size;
  if (conversations >= minConversations || (origin === "stated" && isTyped(text, stated))) return undefined;
  return `It comes from ${conversations === 1 ? "one conversation" : "no conversation"}; a rule that nobody typed needs ${minConversations}.`;
}

// the miner may call anything stated: the words decide
function isTyped(text: string, stated: readonly string[]): boolean {
  const typed = stated.map((each) => ` ${wordKey(each)} `);
  return text
    .split("\n")
    .map(wordKey)
    .every((line) => line === "" || typed.some((words) => words.includes(` ${line} `)));
}

function applied(live: string, edit: LearnedEdit): string {
  const edited = editRules(live, edit);
  // an edit that does not fit is refused elsewhere; its words are looked at all the same
  return edited.ok ? edited.text : `${live}\n${edit.op === "delete" ? "" : edit.text}`;
}

/** About 300 words. */
export const maxRuleCharacters = 2000;

const minConversations = 2;
