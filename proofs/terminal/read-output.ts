import { stripVTControlCharacters } from "node:util";

const escape = "\u001B";

/** What the bytes of a program say about how it draws. */
export interface DrawnOutput {
  /** Redrawn frames. */
  readonly frames: number;
  /** The widest line of anything written, and the highest frame. */
  readonly widest: number;
  readonly highest: number;
  readonly escapes: number;
  readonly colours: number;
  readonly cursorHidden: number;
  readonly cursorShown: number;
}

/** Reads every line that was written, in every frame, not only those that somebody happened to see. */
export function readOutput(raw: string): DrawnOutput {
  const lines = raw.split("\n").map((line) => stripVTControlCharacters(line.replaceAll("\r", "")));
  const ups = [...raw.matchAll(new RegExp(`${escape}\\[(\\d+)A`, "g"))].map(([, lines]) => Number(lines));
  const count = (pattern: string) => [...raw.matchAll(new RegExp(pattern, "g"))].length;
  return {
    frames: ups.length,
    widest: Math.max(0, ...lines.map(columnsOf)),
    highest: Math.max(0, ...ups),
    escapes: count(escape),
    colours: count(`${escape}\\[[\\d;]*m`),
    cursorHidden: count(`${escape}\\[\\?25l`),
    cursorShown: count(`${escape}\\[\\?25h`),
  };
}

const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/** As a terminal shows them: characters of East Asia and pictures take two columns. */
const columnsOf = (line: string): number =>
  [...new Intl.Segmenter().segment(line)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
