import { fingerprint } from "../../core/guard/shared-text.ts";
import type { ConversationTurn, Digest, RawConversation } from "../../core/ports/conversation.ts";
import { findMaterial } from "./material.ts";
import { typedStretches } from "./typed.ts";

/**
 * Separates the person's own words from pasted material, turn by turn. Words that the person wrote first stay theirs, even if
 * others repeat them.
 */
export function tellApart({
  turns,
  toolOutputs,
  heard,
  pastes = [],
}: Pick<RawConversation, "turns" | "toolOutputs" | "heard" | "pastes">): Pick<Digest, "turns" | "untrusted"> {
  const [told, own] = [new Set<string>(), new Set<string>()];
  const tell = (text: string) => {
    for (const mark of fingerprint(text)) told.add(mark);
  };
  let outputs = 0;
  const listen = (count: number) => {
    for (; outputs < count; outputs += 1) tell(toolOutputs[outputs] ?? "");
  };
  const apart = turns.map((turn, at) => {
    listen(heard?.[at] ?? toolOutputs.length);
    const material = findMaterial(turn.prompt, { told, own, pastes });
    const split: ConversationTurn = material.length === 0 ? turn : { ...turn, material };
    for (const { start, end } of material) tell(turn.prompt.slice(start, end));
    for (const mark of typedMarks(split)) own.add(mark);
    return split;
  });
  listen(toolOutputs.length);
  return { turns: apart, untrusted: [...told] };
}

/** Fingerprints of words that others said in the conversations and the person never did. */
export function untrustedIn(digests: readonly Digest[]): ReadonlySet<string> {
  const marks = new Set(digests.flatMap(({ untrusted }) => untrusted));
  for (const { turns } of digests)
    for (const turn of turns) for (const mark of typedMarks(turn)) marks.delete(mark);
  return marks;
}

const typedMarks = (turn: ConversationTurn): readonly string[] =>
  typedStretches(turn).flatMap(({ start, end }) => fingerprint(turn.prompt.slice(start, end)));
