import { type SecretName, judgeName, nameHint } from "./secret-name.ts";
import { classes, entropy, isOrdinaryValue, isTemplate, looksRandom, wordShare } from "./secret-value.ts";
import type { Span } from "./span.ts";

/**
 * Values of secret-like names: `password: x`, `"token": "x"`, `--api-key x`, `<secret>x</secret>`, `Authorization:
 * Bearer x`, `?sig=x`, "the password is x". With a vague name, only values that look random. We read values from the
 * original, because an escaped quote doesn't end one.
 */
export function findAssignments(text: string, softened: string): readonly Span[] {
  const spans: Span[] = [];
  let after = 0;
  for (const match of softened.matchAll(nameHint)) {
    if (match.index < after) continue;
    const [start, end] = wordAround(softened, match.index, match.index + match[0].length);
    after = end;
    const name = softened.slice(start, end);
    const judged = judgeInPlace(softened, start, name);
    if (judged === undefined) continue;
    const operator = readOperator(softened, start, end);
    if (operator === undefined) continue;
    const value = readValue(text, softened, operator);
    if (value === undefined) continue;
    const isCookie = /cookie/i.test(name);
    const found = isCookie
      ? [...findCookies(text, value.start)]
      : judgeValue(text, value, judged, name, operator);
    spans.push(...found);
    // a line of cookies is read once
    if (isCookie) after = value.start + cookieLine(text, value.start).length;
  }
  spans.push(...findSchemes(softened));
  return spans;
}

/** "api key" is a name of two words; `key` alone says nothing. */
function judgeInPlace(text: string, start: number, name: string): SecretName | undefined {
  const judged = judgeName(name);
  if (judged === "password" || judged === "token") return judged;
  const before = /[A-Za-z]{2,20} $/.exec(text.slice(Math.max(0, start - 21), start))?.[0] ?? "";
  return judgeName(before + name);
}

interface Operator {
  /** The position where the value starts. */
  readonly end: number;
  /** `word`: "is", or nothing but a blank; then the value must be beyond doubt. */
  readonly kind: "assign" | "option" | "element" | "word";
  /** `NAME=value` without blanks. */
  readonly tight: boolean;
}

interface Value {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

const longestName = 60;

function wordAround(text: string, from: number, to: number): readonly [number, number] {
  let [start, end] = [from, to];
  while (start > 0 && from - start < longestName && isNameCharacter(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && end - to < longestName && isNameCharacter(text.charCodeAt(end))) end += 1;
  // an option's dashes and a sentence's full stop aren't part of the name
  while (start < end && /[-.]/.test(text.charAt(start))) start += 1;
  while (end > start && /[-.]/.test(text.charAt(end - 1))) end -= 1;
  return [start, end];
}

/** Letters, digits, `_`, `-` and `.`. */
const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46;

function readOperator(text: string, start: number, end: number): Operator | undefined {
  const near = text.slice(end, end + 48);
  const assign = /^(?:\s{0,8}["'`])?(?:\s{0,4}[\])])?\s{0,8}(?::=|===?|!==?|=>|:|=(?!=))\s{0,8}/.exec(near);
  if (assign !== null) {
    const tight = assign[0] === "=";
    return { end: end + skipBlock(near, assign[0].length), kind: "assign", tight };
  }
  const before = text.slice(Math.max(0, start - 12), start);
  if (/<\/?$/.test(before)) {
    const element = /^[^<>]{0,40}>\s{0,8}/.exec(near);
    return element === null ? undefined : { end: end + element[0].length, kind: "element", tight: false };
  }
  const attribute = /^["']\s{1,4}value\s?=\s?/.exec(near);
  if (attribute !== null) return { end: end + attribute[0].length, kind: "assign", tight: false };
  const blank = /^(?:\s{1,4}(?:is|was|to|of|as)\b(?: now| set to)?:?)?[ \t]{1,4}/.exec(near);
  if (blank === null) return undefined;
  const isOption = /(?:^|\s)--?$/.test(text.slice(Math.max(0, start - 3), start));
  return { end: end + blank[0].length, kind: isOption ? "option" : "word", tight: false };
}

/** In YAML, `password: |` and `password: >-` have their value on the next line. */
function skipBlock(near: string, length: number): number {
  const block = /^[|>][+-]?[ \t]*\n[ \t]+/.exec(near.slice(length));
  return length + (block?.[0].length ?? 0);
}

/** The value at a position: a whole quoted text including escaped quotes, or everything up to a blank or punctuation. */
function readValue(text: string, softened: string, { end, kind, tight }: Operator): Value | undefined {
  let at = end;
  while (softened.charAt(at) === " " && at - end < 8) at += 1;
  // r"…" and b"…" in some languages
  if (kind === "assign" && /^[a-z]{1,2}["']/i.test(softened.slice(at, at + 3)))
    at += softened.charAt(at + 1).search(/["']/) === 0 ? 1 : 2;
  const quote = softened.charAt(at);
  if (/["'`]/.test(quote)) {
    const close = closingQuote(text, at);
    return close === undefined ? undefined : { start: at + 1, end: close, quoted: true };
  }
  const stop = kind === "element" ? elementEnd : bareEnd;
  const bare = stop.exec(softened.slice(at, at + longestValue))?.[0] ?? "";
  const stops = kind === "word" ? /[.,;:!?]+$/ : tight ? /(?!)/ : /[.:]$/;
  const value = bare.replace(stops, "");
  // a call or a list element is code
  if (/^[([]/.test(softened.slice(at + value.length)) || value === "") return undefined;
  return { start: at, end: at + value.length, quoted: false };
}

const longestValue = 4096;
const bareEnd = /^[^\s"'`,;<>(){}[\]|&]*/;
const elementEnd = /^[^<>\n]*/;

/** A quote is closed by the next one with the same number of backslashes before it, or fewer. */
function closingQuote(text: string, open: number): number | undefined {
  const quote = text.charAt(open);
  const level = backslashesBefore(text, open);
  const limit = Math.min(text.length, open + longestValue);
  for (let at = text.indexOf(quote, open + 1); at !== -1 && at < limit; at = text.indexOf(quote, at + 1)) {
    const before = backslashesBefore(text, at);
    if (before <= level) return at - before;
  }
  return undefined;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (count < 64 && text.charAt(at - count - 1) === "\\") count += 1;
  return count;
}

function judgeValue(
  text: string,
  value: Value,
  judged: SecretName,
  name: string,
  operator: Operator,
): readonly Span[] {
  // in a header, only the part after the scheme
  const opening = text.slice(value.start, value.start + 40);
  const scheme = /^\s*(?:Bearer|Basic|Token|Digest|ApiKey)\s+/i.exec(opening)?.[0] ?? "";
  const isHeader = /authorization/i.test(name) || scheme !== "";
  let [start, end] = [value.start + scheme.length, value.end];
  if (isHeader)
    end = start + (/^[^\s"'`,;<>\\]*/.exec(text.slice(start, start + longestValue))?.[0].length ?? 0);
  while (end > start && /\s/.test(text.charAt(end - 1))) end -= 1;
  // its start shows what it is
  const secret = text.slice(start, Math.min(end, start + 512));
  const [sure, kind] = isHeader
    ? ([isCredential(secret), "header"] as const)
    : ([
        isSecret(secret, name, judged, value, operator),
        judged === "maybe" ? "entropy" : "assignment",
      ] as const);
  return sure ? [{ start, end, kind }] : [];
}

function isSecret(
  secret: string,
  name: string,
  judged: SecretName,
  { quoted }: Value,
  operator: Operator,
): boolean {
  const { kind, tight } = operator;
  if (looksRandom(secret) && !isFingerprint(secret)) return true;
  if (judged === "maybe") return false;
  // in a shell or .env file, `PASSWORD=x` is text; in a program, `password=x` may be an argument
  const isLiteral =
    quoted || kind === "option" || kind === "element" || (tight && name === name.toUpperCase());
  if (
    /[\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(secret) ||
    isOrdinaryValue(secret) ||
    isCode(secret, isLiteral)
  )
    return false;
  if (kind === "word" && !(quoted && /\d/.test(secret) && classes(secret) >= 2)) return isBeyondDoubt(secret);
  if (judged === "password") return classes(secret) >= 2 || (isLiteral && secret.length >= 12);
  if (secret.length < 8 || !/\d/.test(secret) || !/[A-Za-z]/.test(secret))
    return isLiteral && isBeyondDoubt(secret);
  return secret.length >= 16 ? entropy(secret) >= 3 && wordShare(secret) < 0.8 : wordShare(secret) < 0.5;
}

function isBeyondDoubt(secret: string): boolean {
  const isLong = secret.length >= 20 && /\d/.test(secret) && /[A-Za-z]/.test(secret) && entropy(secret) >= 3;
  if (isLong && wordShare(secret) < 0.4) return true;
  return secret.length >= 8 && classes(secret) >= 3 && wordShare(secret) < 0.8 && !/[/\\]/.test(secret);
}

/** The word after `Bearer` or `Basic`. */
const isCredential = (secret: string): boolean =>
  secret.length >= 8 &&
  !isTemplate(secret) &&
  !isOrdinaryValue(secret) &&
  (/\d/.test(secret) || secret.length >= 16) &&
  wordShare(secret) < 0.8;

/** A name, a path of names, a type or a formula, but not a literal. */
function isCode(text: string, isLiteral: boolean): boolean {
  if (/^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(text)) return true;
  if (/^[A-Za-z_$][A-Za-z_$]*(?:[./:][A-Za-z_$][A-Za-z_$]*)+[?!]?$/.test(text))
    return !isLiteral || wordShare(text) > 0.5;
  // names with digits in them, made of several words
  if (
    !isLiteral &&
    text.length >= 14 &&
    /^[A-Za-z_$](?=.*(?:_|[a-z][A-Z]))[\w$]*$/.test(text) &&
    wordShare(text) > 0.6
  )
    return true;
  return !isLiteral && /^[A-Za-z_$-]+[?!]?$|[=*\\]|^[!?~/@#]|^\d+(?:\.\d+)*[a-z%]{0,2}$|^0x|\+\+/.test(text);
}

/** A hash or an id, which nobody can log in with. */
const isFingerprint = (text: string): boolean =>
  /^(?:sha\d{1,3}[-:]|[\da-f]{8}-[\da-f]{4}-|[\da-f]{40}$|[\da-f]{64}$)/i.test(text);

const cookieLine = (text: string, from: number): string =>
  /^[^\n\r"]*/.exec(text.slice(from, from + longestValue))?.[0] ?? "";

function* findCookies(text: string, from: number): Generator<Span> {
  for (const match of cookieLine(text, from).matchAll(/[^\s=;]{1,64}=([^\s;,"'\\]{16,})/g)) {
    const secret = match[1] ?? "";
    const end = from + match.index + match[0].length;
    if (looksRandom(secret)) yield { start: end - secret.length, end, kind: "header" };
  }
}

/** `Bearer x` and `Basic x` without the header's name. */
function* findSchemes(softened: string): Generator<Span> {
  for (const match of softened.matchAll(/\b(Bearer|Basic) {1,3}([A-Za-z\d._~+/-]{8,4096}={0,2})/gi)) {
    const [whole, scheme = "", secret = ""] = match;
    const end = match.index + whole.length;
    const sure = scheme.toLowerCase() === "basic" ? isUserAndPassword(secret) : isCredential(secret);
    if (sure) yield { start: end - secret.length, end, kind: "header" };
  }
}

const isUserAndPassword = (secret: string): boolean =>
  /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(secret, "base64").toString("latin1"));
