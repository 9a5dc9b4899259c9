import type { Span } from "./span.ts";

/** Card numbers and IBANs, by issuer, length and check digits. We leave the test numbers that manuals use. */
export function findBankNumbers(softened: string): readonly Span[] {
  const spans: Span[] = [];
  for (const match of softened.matchAll(cardPattern)) {
    const digits = match[0].replaceAll(/\D/g, "");
    if (isCard(digits, digits.length < match[0].length))
      spans.push({ start: match.index, end: match.index + match[0].length, kind: "card" });
  }
  for (const match of softened.matchAll(ibanPattern)) {
    const length = ibanLength(match[0]);
    if (length !== undefined) spans.push({ start: match.index, end: match.index + length, kind: "iban" });
  }
  return spans;
}

/** In groups as on cards, or in one piece, but not inside a longer number, a word or a fraction. */
const cardPattern =
  /(?<![\w.,+/-]|\d )(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|3\d{3}([ -])\d{6}\2\d{4,5}|\d{14,16})(?![\w/-]|[.,]\d| \d)/g;

/** Visa, Mastercard, American Express, Discover, JCB, Diners Club, UnionPay. */
const issuers =
  /^(?:4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14})$/;

function isCard(digits: string, isGrouped: boolean): boolean {
  if (!issuers.test(digits) || new Set(digits).size < 5 || testNumbers.has(digits) || !passesLuhn(digits))
    return false;
  // fourteen digits in one piece are usually a time
  return isGrouped || digits.length >= 15;
}

const testNumbers: ReadonlySet<string> = new Set(
  "378282246310005 371449635398431 378734493671000 6011111111111117 6011000990139424 30569309025904 38520000023237 3530111333300000 3566002020360505 5105105105105100 4012888888881881 5200828282828210 2223003122003222 4000056655665556".split(
    " ",
  ),
);

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const counted = at % 2 === 0 ? digit : 2 * digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

const ibanPattern = /(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?/g;

/** The length of an IBAN at the start of a text: as long as its country's IBANs, with remainder 1 modulo 97. */
function ibanLength(text: string): number | undefined {
  const length = Number(/[A-Z]{2}/.exec(text) && countryLengths.get(text.slice(0, 2)));
  if (!(length > 0)) return undefined;
  let [at, taken] = [0, 0];
  for (; at < text.length && taken < length; at += 1) if (text[at] !== " ") taken += 1;
  const iban = text.slice(0, at).replaceAll(" ", "");
  if (iban.length !== length || /[A-Z\d]/.test(text.charAt(at))) return undefined;
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4))
    for (const digit of Number.parseInt(character, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1 ? at : undefined;
}

const countryLengths: ReadonlyMap<string, number> = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28
  HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29
  RO24 RS22 RU33 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((each) => [each.slice(0, 2), Number(each.slice(2))]),
);
