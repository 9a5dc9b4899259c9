/**
 * How much a name says about its value. `password` and `token`: a secret unless it clearly isn't. `maybe` (a key, a
 * signature, a session): only if the value also looks random.
 */
export type SecretName = "password" | "token" | "maybe";

export function judgeName(name: string): SecretName | undefined {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (describing.has(last) || words.some((word) => harmless.has(word))) return undefined;
  if (words.some((word) => passwords.test(word))) return "password";
  if (tokens.test(last) || words.some((word) => whole.test(word))) return "token";
  if (last === "key" && keyOwners.has(words.at(-2) ?? "")) return "token";
  if (last === "id") return words.at(-2) === "key" ? "maybe" : undefined;
  return words.some((word) => vague.has(word)) ? "maybe" : undefined;
}

/** Positions where a secret's name may start: anything the rules above can match. */
export const nameHint =
  /pass|pwd|token|secret|key|credential|auth|sig|session|cookie|jwt|salt|bearer|dsn|connection|webhook|pat\b/gi;

export const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");

const passwords = /^(?:\w*passw(?:or)?d|\w*passphrase|pwd|pass|\w{1,6}pwd|\w{1,6}pass|passcode)$/;
const tokens = /(?:token|secret|apikey|accesskey|accountkey|secretkey|privatekey|authkey|authtoken)$/;
const whole = /^(?:secret|apikey|accountkey|sharedaccesskey|bearer|credential|credentials|authtoken)$/;

/** `api key`, `private key`: these keys are secrets, but a table's key isn't. */
const keyOwners: ReadonlySet<string> = new Set(
  "api access private secret auth service account signing encryption encrypt master storage license client app application deploy write admin webhook shared session ssh gpg ssl tls host consumer subscription".split(
    " ",
  ),
);

const vague: ReadonlySet<string> = new Set(
  "key auth authorization sig signature session sessionid cookie jwt salt pat dsn webhook connectionstring".split(
    " ",
  ),
);

/** The last word of names that mention a secret without containing it. */
const describing: ReadonlySet<string> = new Set(
  `name names type types url uri endpoint path paths file files folder dir length count counts size limit limits budget budgets env ref refs field
  fields label hint prefix suffix pattern patterns format version expires expiry expiration ttl age at in lifetime policy manager provider
  kind mode usage index position map set list store class variable var header headers scope scopes issuer rotation enabled required parameter param
  column error errors tokens keys secrets passwords text texts words places sock socket status state code rate cost price table json yml yaml toml ts js tsx py go rs md txt html
  sh c h cc cpp xml po pod rb java php 1 3 5 8 patch dpatch`.split(/\s+/),
);

/** A name with one of these means something else: tokens of a text, keys of a table. */
const harmless: ReadonlySet<string> = new Set(
  "max min num total public primary foreign cache sort partition idempotency prompt completion input output keyboard keyword unique".split(
    " ",
  ),
);
