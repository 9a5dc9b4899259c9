import { hashNames, nameBefore } from "./hash-names.ts";
import { wordsOf } from "./secret-name.ts";
import { changes, classes, entropy, isTemplate, wordShare } from "./secret-value.ts";
import type { Span } from "./span.ts";

/**
 * Random-looking words that no person wrote, in any position: 20 or more characters, or fewer after a vendor-style
 * prefix (`abc_live_…`). Hashes, ids, public keys, images and base64 blocks look random too, but aren't secrets.
 */
export function findDrawnTokens(softened: string): readonly Span[] {
  const spans: Span[] = [];
  for (const match of softened.matchAll(wordPattern)) {
    const [word] = match;
    // the full stop of a sentence
    const token = word.replace(/[.!~-]+$/, "");
    if (!/[\dA-Z]/.test(token) || !isToken(token)) continue;
    if (isNoSecret(softened, match.index, token)) continue;
    spans.push({ start: match.index, end: match.index + token.length, kind: "entropy" });
  }
  return spans;
}

/** Between blanks, quotes, brackets and the characters that separate names from values. */
const wordPattern = /(?<![\w+/.~!$%@-])[A-Za-z\d][\w+/.~!$%@-]{15,599}={0,3}(?![\w+/.~!$%@-])/g;

const isToken = (word: string): boolean => {
  const body = word.replace(/=+$/, "");
  if (/[@%$]|\.\.|\/\/|^[\d.]+$|\.[a-z]{2,5}$|^0x/.test(body) || isTemplate(body)) return false;
  return isPrefixed(body) || (isDrawn(body) && !isEncodedProse(body));
};

/** Upper case, lower case and digits in random order, in at least one piece, without words around it. */
function isDrawn(body: string): boolean {
  if (body.includes("/") || body.includes("+"))
    return body.length >= 32 && !body.includes(".") && isWild(body, 0.4);
  const pieces = body.split(".");
  const drawn = pieces.filter((piece) => piece.length >= 20 && isWild(piece, 0.3));
  return drawn.length > 0 && pieces.every((piece) => piece.length < 12 || wordShare(piece) <= 0.4);
}

function isWild(piece: string, leastChanges: number): boolean {
  const text = piece.replaceAll(/[^A-Za-z\d]/g, "");
  if (text.length < 18 || text.replaceAll(/\D/g, "").length > text.length / 2) return false;
  if (classes(text) < 3 || new Set(text).size < 10 || wordShare(piece) > 0.4) return false;
  return changes(text) >= leastChanges;
}

/** Words separated by blanks, in base64. */
const isEncodedProse = (body: string): boolean =>
  /^(?=\S+ )[\x20-\x7e\r\n\t]+$/.test(Buffer.from(body, "base64").toString("latin1"));

/** `vendor_` plus 30 or more characters of one case. After a telling word (`live`, `key`, `pat`), fewer are enough. */
function isPrefixed(body: string): boolean {
  const match = prefixPattern.exec(body);
  if (match === null) return false;
  const [, prefix = "", tail = ""] = match;
  const names = prefix.toLowerCase().split(/[^a-z\d]+/);
  if (names.some((name) => hashNames.has(name) || /^(?:v\d*|\d+)$/.test(name))) return false;
  const core = tail.replaceAll(/[^A-Za-z\d]/g, "");
  if (classes(core) < 2 || new Set(core).size < 6 || changes(core) < 0.17) return false;
  const isMixed = /[a-z]/.test(core) && /[A-Z]/.test(core);
  const isTelling = names.some((name) => telling.has(name));
  if (isMixed && (changes(core) < 0.25 || wordShare(core) > (isTelling ? 0.6 : 0.4))) return false;
  // `web-7d4b9c6f5d-x2x9z` and `test-<UUID>` are names of machines and runs
  if (isTelling) return core.length >= 14 && entropy(core) >= 2.7 && (isMixed || !tail.includes("-"));
  return core.length >= 30 && /\d/.test(core) && /^[A-Za-z\d]+$/.test(tail) && entropy(core) >= 3.2;
}

const prefixPattern = /^((?:[A-Za-z][A-Za-z\d]{0,15}[_.-]){1,4})([A-Za-z\d][\w+/-]{13,})$/;

/** Parts of prefixes that vendors use to tell their keys apart. */
const telling: ReadonlySet<string> = new Set(
  "live test prod sandbox key apikey api secret sec token tkn tok pat sk rk pk ak priv pri auth oauth act access sat aat cli web master account".split(
    " ",
  ),
);

/** Random-looking but not secret: a hash, an id, a public key, a file, an image, a line in a base64 block. */
export function isNoSecret(text: string, start: number, token: string): boolean {
  if (/^(?:AAAA[BCE]|iVBORw0|R0lGOD|UklGR|JVBERi|d09G|T2dnU|PHN2Zy|PD94b)/.test(token)) return true;
  const lead = token.split(/[-_.]/)[0] ?? "";
  if (lead.length < token.length && hashNames.has(lead.toLowerCase())) return true;
  const before = text.slice(Math.max(0, start - 64), start);
  if (
    /(?:base64,|\bsha\d{1,3}[-:]|\bmd5[-:]|\bh1:|[#@]|\/\/\S*[?&#]?\S*)$/i.test(before) &&
    !/[?&][\w.-]+=$/.test(before)
  )
    return true;
  const name = nameBefore(before);
  if (wordsOf(name).some((each) => hashNames.has(each))) return true;
  return isLineOfBlock(text, start, token.length);
}

/** One of several whole lines of base64: a certificate, an attachment, an image. */
function isLineOfBlock(text: string, start: number, length: number): boolean {
  if (length < 48) return false;
  const previous =
    text
      .slice(Math.max(0, start - reach), start)
      .split("\n")
      .at(-2) ?? "";
  const next = text.slice(start + length, start + length + reach).split("\n")[1] ?? "";
  return [previous, next].some((line) => /^[\s"'+>|]*[A-Za-z\d+/=]{32,}[\s"'+,\\]*$/.test(line));
}

const reach = 240;
