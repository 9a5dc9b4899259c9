import { foldText } from "./leak-words.ts";

/** Left out when comparing `exactSources`: white space and backticks. */
export const droppedExact = /[\s`]/;

/** Also left out when comparing `looseSources`: escapes, anchors and optional marks. */
export const droppedLoose = /[\s`\\^$?]/;

/** Left out when comparing `squashed` phrases: everything but letters and digits. */
export const droppedMarks = /[^\p{L}\p{M}\p{N}]/u;

/** A folded text in lower case without some characters, with the original position of each one kept. */
export function viewWithout(dropped: RegExp, folded: string): { view: string; places: readonly number[] } {
  let [view, place] = ["", 0];
  const places: number[] = [];
  for (const char of folded) {
    if (!dropped.test(char)) {
      const lower = char.toLowerCase();
      view += lower;
      for (let unit = 0; unit < lower.length; unit += 1) places.push(place);
    }
    place += char.length;
  }
  return { view, places };
}

/** The same for unfolded text, when positions aren't needed. */
export const formWithout = (dropped: RegExp, text: string): string =>
  viewWithout(dropped, foldText(text)).view;
