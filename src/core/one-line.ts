/** Puts a text from elsewhere on one line, without line breaks and cut to a maximum length. */
export function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const line = text.replaceAll(blanks, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
}

/** Adds a full stop unless the text already ends with punctuation. */
export const ended = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** Removes the colours from another program's output; they add nothing to its words. */
export const withoutColours = (text: string): string => text.replaceAll(colours, "");

/** JavaScript doesn't count NEL as white space, but terminals start a new line at it. */
const blanks = /[\s\u0085]+/g;
const escape = "\u001B";
const colours = new RegExp(`${escape}\\[[\\d;:]*m`, "g");
