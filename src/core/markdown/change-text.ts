/** One piece of a text that becomes another; offsets are those of the text as it was. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Makes changes that do not overlap, from the last to the first, so that offsets stay true. */
export const changeText = (text: string, changes: readonly TextChange[]): string =>
  changes
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((changed, { start, end, text: put }) => changed.slice(0, start) + put + changed.slice(end), text);

/** What stood around something that is gone: of the blank lines that meet, one side's are enough, and none end a text. */
export function closeGap(before: string, after: string): string {
  const isOpen = before.trim() === "" || /\n[ \t]*\r?\n$/.test(before);
  const rest = isOpen ? after.replace(/^(?:[ \t]*\r?\n)+/, "") : after;
  return rest.trim() === "" ? before.replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1") : before + rest;
}

/** How many characters at the beginning and at the end of two texts are the same; no character counts for both. */
export function sameEnds(a: string, b: string): { readonly head: number; readonly tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head += 1;
  let tail = 0;
  while (tail < most - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail))
    tail += 1;
  return { head, tail };
}
