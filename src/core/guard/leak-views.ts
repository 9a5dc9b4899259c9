import { foldText } from "./leak-words.ts";

/** What is left out where `exactSources` are compared: white space and backticks. */
export const droppedExact = /[\s`]/;

/** Where `looseSources` are compared, also escapes, anchors and marks of the optional. */
export const droppedLoose = /[\s`\\^$?]/;

/** Where `squashed` phrases are compared: all but letters and digits. */
export const droppedMarks = /[^\p{L}\p{M}\p{N}]/u;

/** A folded text in lower case without some characters, and where each one left stood. */
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

/** The same for a text as it comes, when nobody asks where. */
export const formWithout = (dropped: RegExp, text: string): string =>
  viewWithout(dropped, foldText(text)).view;
