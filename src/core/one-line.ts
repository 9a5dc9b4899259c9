/** A text from elsewhere where one line is meant: no line breaks, at most so many characters. */
export function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const line = text.replaceAll(blanks, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
}

/** With a full stop, unless it ends in a mark of its own. */
export const ended = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** What another program wrote, without its colours: they say nothing that its words do not. */
export const withoutColours = (text: string): string => text.replaceAll(colours, "");

/** NEL is no space for JavaScript and a new line for a terminal. */
const blanks = /[\s\u0085]+/g;
const escape = "\u001B";
const colours = new RegExp(`${escape}\\[[\\d;:]*m`, "g");
