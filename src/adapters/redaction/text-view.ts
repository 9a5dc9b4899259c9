/** A text in another form, every character of which knows where it stands in the original. */
export interface TextView {
  readonly text: string;
  readonly startOf: (index: number) => number;
  /** Where the original of the character at an index ends. */
  readonly endOf: (index: number) => number;
}

export const viewAsIs = (text: string): TextView => ({
  text,
  startOf: (index) => index,
  endOf: (index) => index + 1,
});

/** `\n`, `\"`, `\u0041` and the like become what they mean; undefined when there are none. */
export function viewUnescaped(view: TextView): TextView | undefined {
  const { text } = view;
  if (!text.includes("\\")) return undefined;
  const out = writer(view);
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "\\" || at + 1 === text.length) {
      out.keep(at);
      continue;
    }
    const next = text.charAt(at + 1);
    const digits = { u: 4, x: 2 }[next];
    const code = digits === undefined ? undefined : readHex(text, at + 2, digits);
    if (code !== undefined && digits !== undefined) {
      out.put(code, at, at + 1 + digits);
      at += 1 + digits;
    } else {
      out.put((escapes[next] ?? next).charCodeAt(0), at, at + 1);
      at += 1;
    }
  }
  return out.view();
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** `%2F` becomes `/`; undefined when there is none. */
export function viewPercentDecoded(view: TextView): TextView | undefined {
  const { text } = view;
  if (!/%[\da-f]{2}/i.test(text)) return undefined;
  const out = writer(view);
  for (let at = 0; at < text.length; at += 1) {
    const width = text[at] === "%" ? percentWidth(text, at) : 0;
    if (width === 0) {
      out.keep(at);
      continue;
    }
    const character = decode(text.slice(at, at + width));
    for (let unit = 0; unit < character.length; unit += 1)
      out.put(character.charCodeAt(unit), at, at + width - 1);
    at += width - 1;
  }
  return out.view();
}

/** `&amp;` becomes `&`; undefined when there is none. */
export function viewHtmlDecoded(view: TextView): TextView | undefined {
  const { text } = view;
  if (!entity.test(text)) return undefined;
  const out = writer(view);
  let from = 0;
  for (const match of text.matchAll(new RegExp(entity, "g"))) {
    for (; from < match.index; from += 1) out.keep(from);
    const [whole, name = "", decimal, hex] = match;
    const code =
      decimal === undefined && hex === undefined
        ? (entities[name] ?? " ").charCodeAt(0)
        : Number.parseInt(decimal ?? hex ?? "", hex === undefined ? 10 : 16);
    out.put(code, from, from + whole.length - 1);
    from += whole.length;
  }
  for (; from < text.length; from += 1) out.keep(from);
  return out.view();
}

const entity = /&(?:(amp|lt|gt|quot|apos)|#(\d{2,4})|#x([\da-f]{2,4}));/;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Line breaks taken out with the blanks around them, so that what was split over lines is whole again; with
 * `decorated` also quotes, plus signs, line numbers and comment signs at the break. Undefined when there is no break.
 */
export function viewJoined(view: TextView, decorated: boolean): TextView | undefined {
  const { text } = view;
  if (!/[\r\n]/.test(text)) return undefined;
  const [before, after] = decorated ? [decorationBefore, decorationAfter] : [blanksBefore, blanksAfter];
  const out = writer(view);
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character !== "\n" && character !== "\r") {
      out.keep(at);
      continue;
    }
    out.dropWhile(before);
    while (at + 1 < text.length && after.has(text.charAt(at + 1))) at += 1;
    if (decorated) at = skipLineNumber(text, at + 1) - 1;
  }
  return out.view();
}

const blanksBefore: ReadonlySet<string> = new Set(" \t\\");
const blanksAfter: ReadonlySet<string> = new Set(" \t\r\n");
const decorationBefore: ReadonlySet<string> = new Set(" \t\\\"'`+,.");
const decorationAfter: ReadonlySet<string> = new Set(" \t\r\n\"'`>|#*+");

/** `  12→`, `12|`, `12:` as programs print them before a line. */
function skipLineNumber(text: string, from: number): number {
  let at = from;
  while (at < from + 6 && isDigit(text.charCodeAt(at))) at += 1;
  if (at === from || !/[→|:\t]/.test(text.charAt(at))) return from;
  at += 1;
  while (decorationAfter.has(text.charAt(at)) && at < text.length) at += 1;
  return at;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function readHex(text: string, from: number, digits: number): number | undefined {
  const hex = text.slice(from, from + digits);
  return hex.length === digits && /^[\da-f]+$/i.test(hex) ? Number.parseInt(hex, 16) : undefined;
}

/** How many characters one escaped character takes: three for each of its bytes; 0 when it is none. */
function percentWidth(text: string, at: number): number {
  const first = readHex(text, at + 1, 2);
  if (first === undefined) return 0;
  const bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return /^(?:%[\da-f]{2})+$/i.test(text.slice(at, at + 3 * bytes)) ? 3 * bytes : 3;
}

function decode(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return String.fromCharCode(Number.parseInt(escaped.slice(1, 3), 16));
  }
}

function writer(source: TextView) {
  const size = source.text.length;
  const codes = new Uint16Array(size);
  const starts = new Int32Array(size);
  const ends = new Int32Array(size);
  let length = 0;
  const put = (code: number, first: number, last: number) => {
    codes[length] = code;
    starts[length] = source.startOf(first);
    ends[length] = source.endOf(last);
    length += 1;
  };
  return {
    put,
    keep: (at: number) => put(source.text.charCodeAt(at), at, at),
    dropWhile(characters: ReadonlySet<string>) {
      while (length > 0 && characters.has(String.fromCharCode(codes[length - 1] ?? 0))) length -= 1;
    },
    view: (): TextView => ({
      text: Buffer.from(codes.buffer, 0, 2 * length).toString("utf16le"),
      startOf: (index) => starts[index] ?? 0,
      endOf: (index) => ends[index] ?? 0,
    }),
  };
}
