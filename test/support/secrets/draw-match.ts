/**
 * Texts that a regular expression of Go, Python or RE2 matches, drawn from a seed. Where an expression is looser than what any
 * vendor gives out, the drawing is not: literal letters keep their case, open lengths are not drawn near nothing, and `=` is
 * drawn only where nothing else may stand.
 */
export interface Pattern {
  readonly root: Node;
  /** The parts in brackets, by number; the whole is 0. */
  readonly groups: readonly Node[];
}

export type Node =
  | { readonly kind: "set"; readonly characters: string; readonly anyCase: boolean }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly item: Node; readonly min: number; readonly max: number };

/** What was drawn for a node: the text, and which of its characters were free. */
export interface Drawn {
  readonly text: string;
  readonly free: readonly boolean[];
}

export function drawMatch(node: Node, random: () => number): Drawn {
  // keys whose letters may have either case have one of these in reality
  const casing = Math.floor(random() * 3);
  const pick = <T>(items: ArrayLike<T>): T => items[Math.floor(random() * items.length)] as T;
  let text = "";
  const free: boolean[] = [];
  const walk = (each: Node): void => {
    if (each.kind === "sequence") for (const item of each.items) walk(item);
    else if (each.kind === "choice") walk(pick(each.options));
    else if (each.kind === "repeat") {
      const [min, max] = usualLength(each);
      const count = min + Math.floor(random() * (max - min + 1));
      for (let at = 0; at < count; at += 1) walk(each.item);
    } else {
      const isFree = each.characters.length > 1;
      const character = pick(each.characters);
      text += isFree && each.anyCase ? recase(character, casing, random) : character;
      free.push(isFree);
    }
  };
  walk(node);
  return { text, free };
}

/** Lengths as real keys have them: an open end is no invitation to draw one character or a thousand. */
function usualLength({ item, min, max }: Node & { kind: "repeat" }): readonly [number, number] {
  const isWide = item.kind === "set" && item.characters.length >= 10;
  if (max === Number.POSITIVE_INFINITY)
    return isWide ? [Math.max(min, 24), Math.max(min, 24) + 16] : [min, min + 2];
  return isWide && min <= 2 && max >= 24 ? [Math.min(24, max), Math.min(48, max)] : [min, max];
}

const recase = (character: string, casing: number, random: () => number): string =>
  casing === 0 || (casing === 2 && random() < 0.5) ? character : character.toUpperCase();

/**
 * What every match of a node begins with, as far as it is fixed in letter and case: one text for each way to begin, without
 * the first place where more than a few characters may stand.
 */
export function fixedPrefixes(node: Node): readonly string[] {
  return beginnings(node).map(({ text }) => text);
}

interface Beginning {
  readonly text: string;
  readonly open: boolean;
}

const mostBeginnings = 96;

function beginnings(node: Node): readonly Beginning[] {
  const stop: readonly Beginning[] = [{ text: "", open: false }];
  if (node.kind === "set") {
    const isFixed = node.characters.length <= 8 && !(node.anyCase && /[a-z]/i.test(node.characters));
    return isFixed ? Array.from(node.characters).map((text) => ({ text, open: true })) : stop;
  }
  if (node.kind === "choice") return capped(node.options.flatMap(beginnings), stop);
  if (node.kind === "repeat") {
    if (node.min === 0 && node.max === 1)
      return capped([{ text: "", open: true }, ...beginnings(node.item)], stop);
    if (node.min === 0 || node.min > 8) return stop;
    const items = Array.from({ length: node.min }, () => node.item);
    const fixed = beginnings({ kind: "sequence", items });
    return node.min === node.max ? fixed : fixed.map(({ text }) => ({ text, open: false }));
  }
  let all: readonly Beginning[] = [{ text: "", open: true }];
  for (const item of node.items) {
    if (!all.some(({ open }) => open)) break;
    const next = beginnings(item);
    const longer = all.flatMap((each) =>
      each.open ? next.map(({ text, open }) => ({ text: each.text + text, open })) : [each],
    );
    if (longer.length > mostBeginnings) return all.map(({ text }) => ({ text, open: false }));
    all = longer;
  }
  return all;
}

const capped = (all: readonly Beginning[], otherwise: readonly Beginning[]): readonly Beginning[] =>
  all.length > mostBeginnings ? otherwise : all;

const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const alnum = lower + lower.toUpperCase() + digits;
const classes: Readonly<Record<string, string>> = {
  d: digits,
  w: `${alnum}_`,
  s: " ",
  D: lower,
  W: "-",
  S: alnum,
};
const posix: Readonly<Record<string, string>> = {
  alnum,
  alpha: lower + lower.toUpperCase(),
  digit: digits,
  lower,
  upper: lower.toUpperCase(),
  xdigit: `${digits}abcdefABCDEF`,
  word: `${alnum}_`,
  space: " ",
  punct: "!-_.",
};

/** Throws where an expression holds what no text can be drawn for. */
export function parsePattern(source: string, anyCaseAtFirst = false): Pattern {
  let at = 0;
  const groups: Node[] = [];
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}`);
  };

  function choice(anyCase: boolean): Node {
    const options: Node[] = [];
    let items: Node[] = [];
    let folds = anyCase;
    for (;;) {
      const sign = source[at];
      if (sign === undefined || sign === ")") break;
      if (sign === "|") {
        at += 1;
        options.push({ kind: "sequence", items });
        items = [];
        continue;
      }
      const flags = /^\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/.exec(source.slice(at, at + 12));
      if (flags !== null) {
        at += flags[0].length;
        folds = (folds || (flags[1] ?? "").includes("i")) && !(flags[2] ?? "").includes("i");
        continue;
      }
      const item = atom(folds);
      items.push(quantified(item));
    }
    options.push({ kind: "sequence", items });
    return options.length === 1 ? (options[0] as Node) : { kind: "choice", options };
  }

  function quantified(item: Node): Node {
    const found = /^(?:[*+?]|\{(\d*)(,?)(\d*)\})[?+]?/.exec(source.slice(at, at + 16));
    if (found === null) return item;
    at += found[0].length;
    const sign = found[0].charAt(0);
    const infinity = Number.POSITIVE_INFINITY;
    if (sign === "*") return { kind: "repeat", item, min: 0, max: infinity };
    if (sign === "+") return { kind: "repeat", item, min: 1, max: infinity };
    if (sign === "?") return { kind: "repeat", item, min: 0, max: 1 };
    const min = Number(found[1] ?? 0);
    const max = found[2] === "" ? min : found[3] === "" ? infinity : Number(found[3]);
    return { kind: "repeat", item, min, max };
  }

  function atom(anyCase: boolean): Node {
    const sign = source.charAt(at);
    if (sign === "(") return group(anyCase);
    if (sign === "[") return bracket(anyCase);
    at += 1;
    if (sign === "^" || sign === "$") return nothing;
    // a lone dot is most often meant as one
    if (sign === ".")
      return { kind: "set", characters: /[*+{?]/.test(source.charAt(at)) ? alnum : ".", anyCase: false };
    if (sign !== "\\") return { kind: "set", characters: sign, anyCase };
    const characters = escape();
    return characters === undefined ? nothing : { kind: "set", characters, anyCase };
  }

  function group(anyCase: boolean): Node {
    const opening =
      /^\((?:\?(?:P?<[A-Za-z_]\w*>|:|<?[=!]|([a-z]*)(?:-([a-z]+))?:))?/.exec(source.slice(at))?.[0] ?? "(";
    at += opening.length;
    const isGroup = opening === "(" || /<[A-Za-z_]/.test(opening);
    const number = isGroup ? groups.push(nothing) : 0;
    const [on = "", off = ""] = /^\(\?([a-z]*)-?([a-z]*):/.exec(opening)?.slice(1) ?? [];
    const inner = choice((anyCase || on.includes("i")) && !off.includes("i"));
    if (source[at] !== ")") fail("no closing bracket");
    at += 1;
    if (isGroup) groups[number - 1] = inner;
    return /[=!]$/.test(opening) ? nothing : inner;
  }

  /** What a backslash means; undefined for a place between characters. */
  function escape(): string | undefined {
    const sign = source.charAt(at);
    at += 1;
    if (/[bBAzZ]/.test(sign)) return undefined;
    if (sign === "x") {
      const code = /^(?:\{([\da-f]+)\}|([\da-f]{2}))/i.exec(source.slice(at, at + 10));
      if (code === null) return fail("a strange escape");
      at += code[0].length;
      return String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? "", 16));
    }
    const blank = { n: "\n", r: "\r", t: "\t" }[sign];
    if (blank !== undefined) return blank;
    if (/[pPkQ1-9]/.test(sign)) return fail("an escape that cannot be drawn");
    return classes[sign] ?? sign;
  }

  function bracket(anyCase: boolean): Node {
    at += 1;
    const isNegated = source[at] === "^";
    if (isNegated) at += 1;
    let characters = "";
    for (let first = true; first || source[at] !== "]"; first = false) {
      if (at >= source.length) fail("no end of a set");
      const named = /^\[:(\w+):\]/.exec(source.slice(at, at + 12));
      if (named !== null) {
        at += named[0].length;
        characters += posix[named[1] ?? ""] ?? fail("a strange class");
        continue;
      }
      const from = one();
      const isRange = source[at] === "-" && source[at + 1] !== "]" && from.length === 1;
      if (!isRange) {
        characters += from;
        continue;
      }
      at += 1;
      const to = one();
      if (to.length !== 1) characters += `${from}-${to}`;
      else
        for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code += 1)
          // A-z is a slip of the pen
          if (!(from === "A" && to === "z") || /\w/.test(String.fromCharCode(code)))
            characters += String.fromCharCode(code);
    }
    at += 1;
    const drawn = isNegated
      ? Array.from(alnum)
          .filter((each) => !characters.includes(each))
          .join("")
      : characters;
    const unique = [...new Set(drawn)].join("");
    const usual = unique.length >= 10 ? unique.replaceAll(/[=\s\\]/g, "") : unique;
    if (usual === "") return { kind: "set", characters: " ", anyCase };
    return { kind: "set", characters: usual, anyCase };
  }

  function one(): string {
    const sign = source.charAt(at);
    at += 1;
    return sign === "\\" ? (escape() ?? "\b") : sign;
  }

  const root = choice(anyCaseAtFirst);
  if (at < source.length) fail("more than one expression");
  return { root, groups: [root, ...groups] };
}

const nothing: Node = { kind: "sequence", items: [] };
