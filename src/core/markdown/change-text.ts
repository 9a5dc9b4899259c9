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
