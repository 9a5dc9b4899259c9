/** One character that readers don't see, or that changes how the rest of the text looks. */
export interface HiddenCharacter {
  /** UTF-16 offset into the text. */
  readonly index: number;
  readonly codePoint: number;
  readonly name: string;
}

/**
 * Finds everything that a person can't see: Unicode tags, bidi controls, zero-width and other ignorable characters,
 * and variation selectors outside emoji. Control characters, ANSI escapes, line and paragraph separators, halves of surrogate
 * pairs and private-use characters (which look different everywhere) count too. Emoji, even joined ones, and a leading BOM pass.
 */
export function findHiddenCharacters(text: string): readonly HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  for (const match of text.matchAll(emojiOrHidden)) {
    const hidden = match.groups?.["hidden"];
    if (hidden === undefined || (match.index === 0 && hidden === "\uFEFF")) continue;
    const codePoint = hidden.codePointAt(0) ?? 0;
    found.push({ index: match.index, codePoint, name: nameOf(codePoint, text[match.index + 1]) });
  }
  return found;
}

// a selector after its picture, a joiner between two pictures and a keycap are visible, so they pass;
// national subdivision flags are spelled in tag characters, so they're refused with the rest
const emoji = String.raw`\p{ExtPict}[\uFE0E\uFE0F]?\p{EMod}?(?:\u200D\p{ExtPict}[\uFE0E\uFE0F]?\p{EMod}?)*|[0-9#*]\uFE0F\u20E3`;
const hidden = String.raw`(?![\n\r\t])[\p{DI}\p{Cc}\p{Cs}\p{Co}\p{NChar}\u2028\u2029\u2800\uFFF9-\uFFFB]`;
const emojiOrHidden = new RegExp(`${emoji}|(?<hidden>${hidden})`, "gu");

function nameOf(codePoint: number, next: string | undefined): string {
  if (codePoint === 0x1b && next !== undefined && /[@-_]/.test(next)) return "ANSI escape";
  const exact = names.get(codePoint);
  if (exact !== undefined) return exact;
  const range = ranges.find(([first, last]) => codePoint >= first && codePoint <= last);
  return range === undefined ? "invisible character" : range[2];
}

const names: ReadonlyMap<number, string> = new Map([
  [0x00ad, "soft hyphen"],
  [0x200b, "zero width space"],
  [0x200c, "zero width non-joiner"],
  [0x200d, "zero width joiner outside an emoji"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x2060, "word joiner"],
  [0x2800, "blank braille pattern"],
  [0xfeff, "zero width no-break space"],
]);

const ranges: readonly (readonly [first: number, last: number, name: string])[] = [
  [0x0000, 0x001f, "control character"],
  [0x007f, 0x009f, "control character"],
  [0x202a, 0x202e, "bidi control"],
  [0x2061, 0x2064, "invisible operator"],
  [0x2066, 0x2069, "bidi control"],
  [0xd800, 0xdfff, "half of a surrogate pair"],
  [0xe000, 0xf8ff, "character of private use"],
  [0xfe00, 0xfe0f, "variation selector outside an emoji"],
  [0xe0000, 0xe007f, "tag character"],
  [0xe0100, 0xe01ef, "variation selector outside an emoji"],
  [0xf0000, 0x10ffff, "character of private use"],
];
