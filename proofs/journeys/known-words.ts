import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentedPages } from "../../test/support/docs/read-commands.ts";

const root = join(import.meta.dirname, "../..");

/** What a stranger has read: pages of the repository, and what the program printed. */
export interface Read {
  readonly where: string;
  readonly text: string;
  /** By the program, not a page. */
  readonly isPrinted?: true;
}

export const readPages = (): readonly Read[] =>
  documentedPages()
    .filter((page) => /^(?:README|docs\/[\w-]+)\.md$/.test(page))
    .map((page) => ({ where: page, text: flat(readFileSync(join(root, page), "utf8")) }));

/** As one line: the program breaks a command where its paragraph ends. */
export const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

/**
 * Where a command was read: all its words in this order, but for names of folders, models and runs, addresses and numbers. Else
 * its first words were read, and each flag is in the list of the command's own flags or in what was printed last. Undefined:
 * nobody can know it.
 */
export function whereRead(command: string, read: readonly Read[]): string | undefined {
  const words = command.trim().split(/\s+/);
  const found = (some: readonly string[], where = read) =>
    where.find(({ text }) => asPattern(some).test(text))?.where;
  const whole = found(words);
  if (whole !== undefined) return whole;
  const at = words.findIndex((word) => word.startsWith("--"));
  if (at < 1) return undefined;
  const verb = words.slice(1, at).filter((word) => !isName(word));
  const latest = read.slice(0, 1).filter(({ isPrinted }) => isPrinted);
  const list = flagsOf(verb.join(" "), read);
  const places = [
    found(words.slice(0, at)),
    ...groupFlags(words.slice(at)).map(([flag = "", ...values]) => {
      const isListed = new RegExp(`\`${flag}[ \`]`).test(list);
      const isPlain = values.every(isName) || found([flag, ...values]) !== undefined;
      return isListed && isPlain ? reference : found([flag, ...values], latest);
    }),
  ];
  return places.includes(undefined) ? undefined : [...new Set(places)].join(" and ");
}

const reference = "docs/cli.md";

/** The part of the reference about a command; some have the flags of \`train\`, too. */
function flagsOf(verb: string, read: readonly Read[]): string {
  const text = read.find(({ where }) => where === reference)?.text ?? "";
  const own = new RegExp(`### ${verb} (.*?)(?= ##|$)`).exec(text)?.[1] ?? "";
  return own.includes("those of [train]") ? `${own} ${flagsOf("train", read)}` : own;
}

/** `[["--target", "a/b"], ["--unproven"]]` */
function groupFlags(words: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  for (const word of words)
    if (word.startsWith("--")) groups.push([word]);
    else groups.at(-1)?.push(word);
  return groups;
}

const asPattern = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\w-])${words.map(wordPattern).join(" ")}(?![\\w/-])`);

const kinds: readonly RegExp[] = [
  /https?:\/\/[^\s`]+/,
  // models, folders and files
  /[\w.@-]*\/[^\s`;,]+|[\w-]+\.[a-z]\w*/,
  /[0-9a-f]{8,16}/,
  /\d+/,
];
const isWhole = (kind: RegExp, word: string): boolean => new RegExp(`^(?:${kind.source})$`).test(word);
const isName = (word: string): boolean => kinds.some((kind) => isWhole(kind, word));

/** The word itself; in place of a name any other of its kind, and what a page leaves open: `<path>`, `[run]`, `…`. */
function wordPattern(word: string): string {
  const itself = word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const kind = kinds.find((one) => isWhole(one, word));
  return kind === undefined ? itself : `(?:${itself}|${kind.source}|<[^>]+>|\\[[^\\]]+\\]|…)`;
}
