/**
 * Whether a value is too short or ordinary to be a secret: under 6 characters, a listed word, a plain word under 12
 * letters, a number under 9 digits. Paths, addresses without user info and templates don't count either.
 */
export function isOrdinaryValue(value: string): boolean {
  const text = value.trim();
  return (
    text.length < 6 ||
    ordinaryWords.has(text.toLowerCase()) ||
    (text.length < 12 && /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/.test(text)) ||
    (/^[\d.,:_+-]+$/.test(text) && text.replaceAll(/\D/g, "").length < 9) ||
    isPath(text) ||
    (/^[a-z][a-z\d+.-]*:\/\/[^@\s]*$/i.test(text) && !text.includes("://:")) ||
    isTemplate(text)
  );
}

/** At least 20 characters without blanks, with letters and digits, 3.5 bits per character, and hardly a word in it. */
export function looksRandom(value: string): boolean {
  return (
    value.length >= 20 &&
    !/\s/.test(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    entropy(value) >= 3.5 &&
    wordShare(value) <= 0.6 &&
    !isPath(value) &&
    !/^[a-z][a-z\d+.-]*:\/\//i.test(value) &&
    // a regular expression
    !/\[[aA0]-[zZ9]/.test(value) &&
    !isTemplate(value)
  );
}

/** Shannon entropy, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How many of lower case, upper case, digits and signs it uses. */
export const classes = (text: string): number =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((each) => each.test(text)).length;

/** How often neighbouring letters and digits are of different kinds: rarely in names, often in random text. */
export function changes(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at += 1) if (classOf(text, at) !== classOf(text, at - 1)) count += 1;
  return count / text.length;
}

function classOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 58 ? 0 : code < 91 ? 1 : 2;
}

/** The pronounceable share of a text: near 1 for names people choose, small for random text. */
export function wordShare(text: string): number {
  let letters = 0;
  for (const [chunk] of text.matchAll(/[A-Z]?[a-z]{3,}|[A-Z]{3,}/g)) {
    if (
      /[aeiouy]/i.test(chunk) &&
      !/[^aeiouy]{4}/i.test(
        chunk.length < 7
          ? chunk
          : chunk.replaceAll(/ngstr|nstr|bscr|ghtl|rthl|ngth|ckgr|nscr|bstr|sskey/gi, "n"),
      )
    )
      letters += chunk.length;
  }
  return letters / Math.max(1, text.replaceAll(/[-_.:/\s]/g, "").length);
}

/** Placeholders for a value to fill in, or for one that was already removed. */
export function isTemplate(text: string): boolean {
  if (/^(?:<[^<>]*>|\[[^[\]]*\]|\{[^{}]*\}|%[A-Z_]+%|__\w+__)$/.test(text)) return true;
  if (
    /^\$\w|^\$\(|^(?:process|os|import|env|config|secrets|self|this|vars|var|data|local|module)\.|^getenv/i.test(
      text,
    )
  )
    return true;
  if (/^[x*•.…_#?-]+$/i.test(text) || /^.{0,6}(?:\*{3,}|…|\.{3}|x{6,})/i.test(text)) return true;
  if (
    /^(?:your|enter|insert|put|change|replace|dummy|fake|example|sample|placeholder|redacted|todo)[-_ ]/i.test(
      text,
    )
  )
    return true;
  if (/(?:[-_ ]here|changeme|example|placeholder|redacted)\W*$/i.test(text)) return true;
  const filled = text.replaceAll(/\$\{[^{}]*\}|\{\{[^{}]*\}\}|#\{[^{}]*\}|%[sdv]/g, "");
  return filled.length < text.length && filled.replaceAll(/[^A-Za-z\d]/g, "").length < 8;
}

/** A path of names; 40 characters without a dot may as well be a key that contains slashes. */
const isPath = (text: string): boolean =>
  /^(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\w.@ -]+)+[\\/]?$/.test(text) &&
  (text.length !== 40 || text.includes("."));

const ordinaryWords: ReadonlySet<string> = new Set(
  `true false null none undefined nil default localhost development production staging testing integration password password1 passw0rd
  secret123 password123 changeme change-me changeit letmein example.com postgres postgresql mysql mariadb mongodb rabbitmq minioadmin
  administrator anonymous disabled enabled required optional string number boolean object array bearer basic digest base64 sha256 sha512
  hs256 rs256 es256 oauth2 x-api-key api-key api_key apikey access_token access-token 127.0.0.1 0.0.0.0 12345678 123456789 1234567890`.split(
    /\s+/,
  ),
);

export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
