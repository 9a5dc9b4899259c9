import { classes, entropy, isOrdinaryValue, isTemplate, looksRandom, wordShare } from "./secret-value.ts";
import type { Span } from "./span.ts";

/** "The password is …" in ten languages: a word for a secret, the words in between, and a value that isn't a word. */
export function findToldSecrets(softened: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { hints, told, sure } of languages) {
    if (!hints.test(softened)) continue;
    for (const match of softened.matchAll(told)) {
      const value = (match.groups?.["value"] ?? "").replace(/[.,;:!?]+$/, "");
      const end = match.index + match[0].lastIndexOf(match.groups?.["value"] ?? "") + value.length;
      if (isTold(value, sure)) spans.push({ start: end - value.length, end, kind: "assignment" });
    }
  }
  return spans;
}

/** After a word for a password, anything with digits or signs; after a word for a key, anything random-looking. */
function isTold(value: string, sure: boolean): boolean {
  if (value.length < 6 || isOrdinaryValue(value) || isTemplate(value) || /:\/\/|^[-\\/~.#]/.test(value))
    return false;
  if (looksRandom(value)) return true;
  if (!sure)
    return (
      value.length >= 12 &&
      /\d/.test(value) &&
      /[A-Za-z]/.test(value) &&
      wordShare(value) <= 0.5 &&
      entropy(value) >= 2.7
    );
  if (/^[A-Za-z_]+(?:[-_.][A-Za-z_]+)*[()]*$/.test(value) || /^[\d.,:%/-]+[a-z]{0,3}$/.test(value))
    return false;
  const isName = /^[A-Za-z]\w*_\w*$/.test(value) && wordShare(value) > 0.4;
  return !isName && classes(value) >= 2 && /[\d!@#$%^&*?]/.test(value) && wordShare(value) < 0.9;
}

interface Told extends SecretWords {
  readonly told: RegExp;
}

export interface SecretWords {
  /** Every text in the language that reveals a secret contains one of these. */
  readonly hints: RegExp;
  /** Words for secrets. */
  readonly words: RegExp;
  /** Words for passwords, not for keys. */
  readonly sure: boolean;
}

/** Printable, up to the end of a value in prose. */
const value = String.raw`["'\x60«»„“”「『]?(?<value>(?:(?!["'\x60,;<>{}()[\]|])[!-~]){6,200})`;
const sign = String.raw`\s{0,3}[:：=＝]\s{0,3}`;

/** Words for passwords, words for keys, and words for "is"; a few more words may come in between. */
const language = (hints: RegExp, passwords: string, keys: string, is: string): readonly Told[] =>
  [passwords, keys].map((words, at) => ({
    hints,
    sure: at === 0,
    words: new RegExp(String.raw`(?<![\p{L}\p{M}\d_])(?:${words})(?![\p{L}\d_])`, "giu"),
    told: new RegExp(
      String.raw`(?<![\p{L}\p{M}\d_])(?:${words})(?![\p{L}\d_])(?: [^\n:：=＝"'\x60<>{}[\].,;]{1,24}?)?(?:${sign}|${is})${value}`,
      "giu",
    ),
  }));

/** In scripts without blanks between words. */
const unspaced = (hints: RegExp, passwords: string, keys: string, is: string): readonly Told[] =>
  [passwords, keys].map((words, at) => ({
    hints,
    sure: at === 0,
    words: new RegExp(words, "gu"),
    told: new RegExp(
      String.raw`(?:${words})[^\n:：=＝"'\x60!-~。，、]{0,8}(?:${sign}|\s{0,2}(?:${is})\s{0,3})${value}`,
      "gu",
    ),
  }));

const languages: readonly Told[] = [
  // English; people use English words for keys and tokens in all languages
  ...language(
    /pass|pwd?|pin|token|secret|key|log|sign|cred/i,
    "pass(?:words?|phrase|code)|passwd|pwd?|pin code|(?:the|my|our|your|his|her|their|new|old) pass",
    "log[ -]?in|sign[ -]?in|credentials?|(?:api|access|secret|private|auth|license|signing|encryption)[ -]?(?:key|token)|token|secret|(?:my|our|your|the)(?: (?!primary|foreign|public|cache|sort|partition|unique|object|host)[\\w.-]{2,24}){0,3} key",
    String.raw`\s(?:is|was|will be|should be|set to|changed to|es|est|ist|é|lautet)(?: now)?\s`,
  ),
  // German
  ...language(
    /wort|code|zahl|schl|geheim|zugang/i,
    "passwort|kennwort|zugangscode|geheimzahl",
    "(?:\\p{L}+-?)?schlüssel|geheimnis|zugang(?:sdaten)?",
    String.raw`\s(?:ist|war|lautet|heißt|wird)(?: jetzt)?\s`,
  ),
  // French
  ...language(
    /mot|mdp|code d|cl[ée]|jeton/i,
    "mots? de passe|mdp|code d['’]accès",
    "cl(?:é|ef)s?(?: d['’]api| secrète| privée)?|jeton",
    String.raw`\s(?:est|était|sera)(?: désormais)?\s`,
  ),
  // Spanish
  ...language(
    /contrase|clave|llave|secreto/i,
    "contraseñas?|contrasenas?|clave de acceso",
    "clave(?: secreta| api| de api| privada)?|llave|secreto",
    String.raw`\s(?:es|era|será)(?: ahora)?\s`,
  ),
  // Portuguese
  ...language(
    /senha|palavra|chave|segredo/i,
    "senhas?|palavra-passe",
    "chave(?: secreta| de api| privada| api)?|segredo",
    String.raw`\s(?:é|era|será)(?: agora)?\s`,
  ),
  // Russian
  ...language(
    /[а-я]{4}/i,
    "парол[ьяюе]м?",
    "(?:секретн\\p{L}+ |приватн\\p{L}+ )?ключ|токен|секрет",
    String.raw`\s?[—–-]\s|\s(?:это|такой|теперь|был|будет)\s`,
  ),
  // Hindi: the verb comes last
  ...language(/[\u0900-\u097f]/, "पासवर्ड|कूटशब्द|पासकोड", "कुंजी|टोकन", String.raw`\s(?:है|था)?\s?`),
  // Arabic
  ...language(
    /[\u0600-\u06ff]/,
    "كلمة (?:المرور|السر)|الرقم السري|كلمه السر",
    "(?:ال)?مفتاح|(?:ال)?رمز|التوكن",
    String.raw`\s(?:هي|هو|كانت|كان)\s`,
  ),
  // Chinese
  ...unspaced(
    /[\u4e00-\u9fff]/,
    "密码|密碼|口令|通行码",
    "密钥|秘钥|密鑰|金鑰|令牌|权杖|私钥",
    "是|为|為|等于|改成|改为|设为|就是",
  ),
  // Japanese
  ...unspaced(
    /[\u3040-\u30ff]/,
    "パスワード|パスフレーズ|暗証番号|合言葉",
    "キー|鍵|トークン|シークレット",
    "は|が|を",
  ),
];

/** The words for secrets in these languages. */
export const secretWords: readonly SecretWords[] = languages;
