import { oneLine } from "../../core/one-line.ts";
import type { WishSentence } from "./wish.ts";
import { dayOf } from "./wish-words.ts";

/** A sentence for a model: its words, its day, and as far as it is known its occasion, what it alludes to and why it was said. */
export function saidLine(
  { text, at, scene, about, reason }: WishSentence,
  {
    withOccasion = true,
  }: { /** Whether what the agent had been asked to do is shown. */ readonly withOccasion?: boolean } = {},
): string {
  const parts = [
    dayOf(at),
    ...(scene === undefined || !withOccasion ? [] : [`asked: ${quoted(scene.asked)}`]),
    ...(about === undefined ? [] : [`about: ${quoted(about)}`]),
    ...(reason === undefined ? [] : [`because: ${quoted(reason)}`]),
  ];
  return `${JSON.stringify(oneLine(text, 500))} (${parts.join("; ")})`;
}

const quoted = (text: string): string => JSON.stringify(oneLine(text, 160));
