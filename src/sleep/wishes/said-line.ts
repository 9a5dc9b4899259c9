import { oneLine } from "../../core/one-line.ts";
import type { WishSentence } from "./wish.ts";
import { dayOf } from "./wish-words.ts";

/** A sentence for a model: its words and date, plus its occasion, topic and reason if known. */
export function saidLine(
  { text, at, scene, about, reason }: WishSentence,
  {
    withOccasion = true,
  }: { /** Whether to show the request that came before. */ readonly withOccasion?: boolean } = {},
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
