import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { findLookalikes } from "../guard/lookalikes.ts";
import { findFilledPlaceholders, findPlaceholders } from "../guard/placeholders.ts";
import { findRegions, findStrayMarkers, forgesMarker } from "../skill/regions.ts";

/** A reason why a text must not become a live file. */
export interface UnsafeText {
  /** From 1. */
  readonly line: number;
  /** The text at that place, as part of a sentence. */
  readonly what: string;
}

/**
 * Finds text that a reader of the proposal would miss or misread. That's hidden characters, forged region markers,
 * words in disguise, text pushed out of sight, overlong lines, and placeholders of secrets, new or filled in. Anything
 * already in the live text passes.
 */
export function findUnsafeText(live: string, proposed: string): readonly UnsafeText[] {
  const filled = findFilledPlaceholders(live, proposed).map(({ index, text }) => ({
    index,
    what: `something in place of ${text}`,
  }));
  return [...newTo(findSuspects(live, live), findSuspects(proposed, live)), ...filled]
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, what }) => ({ line: proposed.slice(0, index).split("\n").length, what }));
}

interface Suspect {
  readonly index: number;
  readonly what: string;
}

function findSuspects(text: string, known: string): readonly Suspect[] {
  return [
    ...findHiddenCharacters(text).map(({ index, codePoint, name }) => ({
      index,
      what: `${name} (U+${codePoint.toString(16).toUpperCase().padStart(4, "0")})`,
    })),
    // a terminal would print the rest of the line over its start
    ...Array.from(text.matchAll(/\r(?!\n)/g), ({ index }) => ({
      index,
      what: "carriage return inside a line (U+000D)",
    })),
    ...findForgedMarkers(text),
    ...findOutOfSight(text),
    ...findPlaceholders(text).map(({ index, text: found }) => ({
      index,
      what: `placeholder of a secret ${found}`,
    })),
    ...findLookalikes(text, known).map(({ index, word }) => ({
      index,
      what: `word "${word}", which only looks Latin`,
    })),
  ];
}

/** Finds text that a reader would have to scroll to without knowing it's there. */
function findOutOfSight(text: string): readonly Suspect[] {
  const found: Suspect[] = [];
  let [index, empty] = [0, 0];
  for (const line of text.split("\n")) {
    const isEmpty = line.trim() === "";
    if (!isEmpty && empty > mostEmptyLines) found.push({ index, what: `text after ${empty} empty lines` });
    empty = isEmpty ? empty + 1 : 0;
    if (line.length > longestLine) found.push({ index, what: `line of ${line.length} characters` });
    for (const { index: at, 0: gap } of line.trimEnd().matchAll(/\s+/g))
      if (gap.length > mostBlanks) found.push({ index: index + at, what: `text after ${gap.length} spaces` });
    index += line.length + 1;
  }
  return found;
}

const mostEmptyLines = 30;
const mostBlanks = 80;
const longestLine = 8000;

/** Whetstone writes each region once, with both its markers, and nothing else that resembles a marker. */
function findForgedMarkers(text: string): readonly Suspect[] {
  const regions = findRegions(text);
  const seen = new Set<string>();
  const suspects = findStrayMarkers(text).map(({ start }) => ({ index: start, what: "lone region marker" }));
  for (const { name, start } of regions) {
    if (seen.has(name)) suspects.push({ index: start, what: `second region "${name}"` });
    seen.add(name);
  }
  const markers = [
    ...findStrayMarkers(text),
    ...regions.flatMap(({ start, bodyStart, bodyEnd, end }) => [
      { start, end: bodyStart },
      { start: bodyEnd, end },
    ]),
  ].toSorted((a, b) => a.start - b.start);
  let from = 0;
  for (const { start, end } of [...markers, { start: text.length, end: text.length }]) {
    suspects.push(...findImitations(text.slice(from, start), from));
    from = end;
  }
  return suspects;
}

function findImitations(stretch: string, offset: number): readonly Suspect[] {
  if (!forgesMarker(stretch)) return [];
  const found: Suspect[] = [];
  let index = offset;
  for (const line of stretch.split("\n")) {
    if (forgesMarker(line)) found.push({ index, what: `imitated region marker "${line.trim()}"` });
    index += line.length + 1;
  }
  return found.length > 0 ? found : [{ index: offset, what: "imitated region marker over several lines" }];
}

/** The suspects that occur more often than before; the first occurrences count as the old ones. */
function newTo(before: readonly Suspect[], after: readonly Suspect[]): readonly Suspect[] {
  const old = new Map<string, number>();
  for (const { what } of before) old.set(what, (old.get(what) ?? 0) + 1);
  return after.filter(({ what }) => {
    const left = old.get(what) ?? 0;
    old.set(what, left - 1);
    return left <= 0;
  });
}
