import { isatty } from "node:tty";
import { readEnv } from "../config/env.ts";
import { spellOut } from "../report/spell-out.ts";

const escape = "\u001B";
interface Seal {
  /** Nobody else knows it, so nobody's text can hold a mark. Groups of digits, as in any control sequence. */
  readonly digits: string;
  readonly marks: RegExp;
}
let made: Seal | undefined;
const mark = (code: number): string => `${escape}[${(made ??= makeSeal()).digits}${code}m`;

/** With the first mark: whoever wants no colours does not wait for the system's randomness. */
function makeSeal(): Seal {
  const { randomInt } = process.getBuiltinModule("node:crypto");
  const digits = `${Array.from({ length: 4 }, () => randomInt(1000, 10_000)).join(";")};`;
  return { digits, marks: new RegExp(`(${escape}\\[${digits}\\d+m)`) };
}

/** Every second part is a mark. */
const splitAtMarks = (text: string): readonly string[] =>
  made === undefined ? [text] : text.split(made.marks);

type Paint = (text: string) => string;

/** Colours where a person looks: a log or a file gets none unless FORCE_COLOR asks for them. */
export const colors = createColors(wantsColors(readEnv(), isatty(1)));

export function wantsColors(env: Readonly<Record<string, string | undefined>>, isTty: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTty && env["TERM"] !== "dumb";
}

/** They are written as marks, which only this process can make and only `toTerminal` makes into colours. */
export function createColors(isWanted: boolean) {
  const paint = (open: number, close: number): Paint => {
    if (!isWanted) return (text) => text;
    const [begin, end] = [mark(open), mark(close)];
    return (text) => `${begin}${text.replaceAll(end, end + begin)}${end}`;
  };
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}

/** Text as a terminal may get it: our own colours and no other control sequence. */
export const toTerminal = (text: string): string =>
  splitAtMarks(text)
    .map((part, at) => (at % 2 === 1 ? part.replace(made?.digits ?? "", "") : printable(part)))
    .join("");

/** The same with its marks as they are: what columns are counted in, and where lines are cut. */
export const splitMarks = (text: string): readonly string[] =>
  splitAtMarks(text).map((part, at) => (at % 2 === 1 ? part : printable(part)));

/** A piece of a text: neither is its beginning that of a line, nor a carriage return at its end the end of one. */
const printable = (text: string): string =>
  spellOut(text)
    .replace(/^\uFEFF/, "<U+FEFF>")
    .replace(/\r$/, "<U+000D>");
