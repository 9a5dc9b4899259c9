/**
 * A text of the same length in which escapes do not touch words: `\nAKIA…` has a line break before the key, `\"` is a quote
 * after blanks. Places found in it are places in the original.
 */
export const soften = (text: string): string =>
  text.includes("\\") ? text.replaceAll(/(?<!\\)\\+(?:[nrtbf"'`/]|u00[0-7][\da-f])/gi, softenEscape) : text;

function softenEscape(escaped: string): string {
  const code = /u(00[0-7][\da-f])$/i.exec(escaped)?.[1];
  const meant = code === undefined ? escaped.slice(-1) : String.fromCharCode(Number.parseInt(code, 16));
  if (code === undefined ? escaped.endsWith("n") : meant === "\n") return "\n".padStart(escaped.length);
  const isSign = code === undefined ? /["'`/]/.test(meant) : /[!-~]/.test(meant);
  return (isSign ? meant : " ").padStart(escaped.length);
}
