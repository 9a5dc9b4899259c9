/** A text in another form, in which every character knows its position in the original. */
export interface TextView {
  readonly text: string;
  readonly startOf: (index: number) => number;
  /** The end position in the original of the character at an index. */
  readonly endOf: (index: number) => number;
}

export const viewAsIs = (text: string): TextView => ({
  text,
  startOf: (index) => index,
  endOf: (index) => index + 1,
});

/** Decodes `\n`, `\"`, `\u0041` and similar; undefined if there are none. */
export const viewUnescaped = (view: TextView): TextView | undefined =>
  view.text.includes("\\") ? viewDecoded(view, escaped, unescape) : undefined;

const escaped = /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^])/g;
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

const unescape = ([, kind = "", ...digits]: string): string =>
  digits.length > 0 ? String.fromCharCode(Number.parseInt(digits.join(""), 16)) : (escapes[kind] ?? kind);

/** `%2F` becomes `/`; undefined if there is none. */
export const viewPercentDecoded = (view: TextView): TextView | undefined =>
  /%[\da-f]{2}/i.test(view.text) ? viewDecoded(view, percentEscaped, decode) : undefined;

/** One character: three signs for each byte, the first of which says how many there are. The text may end early. */
const percentEscaped =
  /%[cd][\da-f](?:%[\da-f]{2}|$)|%e[\da-f](?:(?:%[\da-f]{2}){2}|(?:%[\da-f]{2})?$)|%f[\da-f](?:(?:%[\da-f]{2}){3}|(?:%[\da-f]{2}){0,2}$)|%[\da-f]{2}/gi;

/** `&amp;` becomes `&`; undefined if there is none. */
export const viewHtmlDecoded = (view: TextView): TextView | undefined =>
  view.text.search(entity) === -1 ? undefined : viewDecoded(view, entity, meantBy);

const entity = /&(?:amp|lt|gt|quot|apos|#\d{2,4}|#x[\da-f]{2,4});/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function meantBy(found: string): string {
  const name = found.slice(1, -1);
  const [, hex, digits = ""] = /^#(x?)(.*)$/.exec(name) ?? [];
  return hex === undefined
    ? (entities[name] ?? " ")
    : String.fromCharCode(Number.parseInt(digits, hex === "" ? 10 : 16));
}

/** Replaces every match with its meaning. Each of its characters has the position of the whole match. */
function viewDecoded(view: TextView, pattern: RegExp, meaning: (found: string) => string): TextView {
  const out = writer(view);
  let from = 0;
  for (const { index, 0: found } of view.text.matchAll(pattern)) {
    for (; from < index; from += 1) out.keep(from);
    const meant = meaning(found);
    for (let unit = 0; unit < meant.length; unit += 1)
      out.put(meant.charCodeAt(unit), index, index + found.length - 1);
    from = index + found.length;
  }
  for (; from < view.text.length; from += 1) out.keep(from);
  return out.view();
}

/**
 * Removes line breaks and the blanks around them, so that text split over lines is whole again. `decorated` also
 * removes quotes, plus signs, line numbers and comment signs at the break. Undefined without a break.
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
