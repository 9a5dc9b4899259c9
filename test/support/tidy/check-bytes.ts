import type { Edit } from "../../../src/core/skill/edit.ts";

/**
 * What changed outside an edit's place, or undefined. The place of new content is one gap between two characters; that of a
 * target is its lines with the blank lines around them, and a delete takes nothing from them but the target, marks and
 * blanks. The numbers of ordered lists count for nothing, nor does indentation where one of them got longer.
 */
export function findStrayChange(
  { op, target = "", content = "" }: Edit,
  before: string,
  after: string,
): string | undefined {
  const isShorter = digitsOf(before) !== digitsOf(after);
  const [old, now] = [erase(before, isShorter), erase(after, isShorter)];
  const head = commonPrefix(old, now);
  const tail = commonSuffix(old.slice(head), now.slice(head));
  const gone = old.slice(head, old.length - tail);
  if (op === "append" || op === "insert_after") {
    const sections = content.match(/^#+ /gm)?.length ?? 0;
    const isKept = sections > 1 ? hasLines(now, old) : gone === "";
    return isKept ? undefined : `${JSON.stringify(gone)} is gone`;
  }
  const written = before.includes("\r\n") ? target.replaceAll(/\r?\n/g, "\r\n") : target;
  const found = before.includes(target) ? target : written;
  const start = before.indexOf(found);
  const shown =
    start < 0 ? old.indexOf(erase(found, false)) : erase(before.slice(0, start), isShorter).length;
  const wanted = erase(found, isShorter).trim();
  const at = old.indexOf(wanted, shown);
  const from = old.lastIndexOf("\n", at - 1) + 1;
  const to = old.indexOf("\n", at + wanted.length);
  const [above, below] = [
    old.slice(0, from).replace(/(?:\r?\n[ \t]*)+$/, ""),
    to < 0 ? "" : old.slice(to).replace(/^(?:[ \t]*\r?\n)+/, ""),
  ];
  // a new section goes behind the one that it was put in
  const isKept =
    (now.startsWith(above) && now.endsWith(below)) ||
    (op === "replace" && hasLines(now, `${above}\n${below}`));
  if (!isKept) return `more than the lines of the target: ${JSON.stringify(gone)}`;
  if (op !== "delete") return undefined;
  const rest = now.slice(above.length, now.length - below.length);
  const [left, right] = [old.slice(from, at), old.slice(at + wanted.length, to < 0 ? old.length : to)];
  const isRest =
    flat(rest) === flat(left + right) ||
    (rest.trim() === "" && /^[\s\d>#*+.,;:!?[\])x-]*$/i.test(left + right));
  return isRest
    ? undefined
    : `more than the target: ${JSON.stringify(left + right)} became ${JSON.stringify(rest)}`;
}

/** Whether all lines are there, in order. */
function hasLines(text: string, lines: string): boolean {
  let at = 0;
  const wanted = lines.split(/\r?\n/);
  for (const line of text.split(/\r?\n/)) if (line === wanted[at]) at += 1;
  return at === wanted.length;
}

const flat = (text: string): string =>
  text
    .trim()
    .replace(/^(?:[-*+]|\d+[.)]|#+)\s+/, "")
    .replaceAll(/\s+/g, "");

/** With every number of a list the same, and without indentation. */
function erase(text: string, isFlush: boolean): string {
  const same = text.replaceAll(/^([ \t]*)\d{1,9}(?=[.)](?:[ \t]|$))/gm, "$10");
  return isFlush ? same.replaceAll(/^[ \t]+/gm, "") : same;
}

const digitsOf = (text: string): number =>
  Math.max(0, ...(text.match(/^[ \t]*\d+(?=[.)][ \t])/gm) ?? []).map((line) => line.trim().length));

function commonPrefix(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function commonSuffix(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[a.length - 1 - at] === b[b.length - 1 - at]) at += 1;
  return at;
}
