/** A replacement of one piece of a text; offsets refer to the original text. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies changes that don't overlap, from last to first, so that offsets stay valid. */
export const changeText = (text: string, changes: readonly TextChange[]): string =>
  changes
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((changed, { start, end, text: put }) => changed.slice(0, start) + put + changed.slice(end), text);

/** Joins the text around a removed piece: where blank lines meet, those of one side are enough, and none end a text. */
export function closeGap(before: string, after: string): string {
  const isOpen = before.trim() === "" || /\n[ \t]*\r?\n$/.test(before);
  const rest = isOpen ? after.replace(/^(?:[ \t]*\r?\n)+/, "") : after;
  return rest.trim() === "" ? before.replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1") : before + rest;
}
