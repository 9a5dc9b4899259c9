import { type FoundPower, found } from "./addresses.ts";
import { forbids } from "./forbids.ts";
import type { PowerText } from "./power-text.ts";

/** Sentences that ask for code that is easier to break or to abuse; a sentence that forbids it is none. */
export const findWeakerCode = ({ sentences }: PowerText): readonly FoundPower[] =>
  sentences
    .filter(({ text }) => !forbids(text) && !warns.test(text) && weaker.some((pattern) => pattern.test(text)))
    .map((sentence) => found("weaker", sentence));

/** "Never use floats for money": what is said against something asks for nothing weaker. */
const warns =
  /^\W*(?:never|do not|don't|avoid|no)\b(?!.*\b(?:validat|escap|verif|check|encrypt|hash|sanitiz|authenti|mention|sign)\w*)/i;

const near = String.raw`[^.]{0,60}`;
const pattern = (text: string): RegExp => new RegExp(text, "i");

const off = String.raw`(?:off|disabl\w+|skip\w*|without|ignor\w+|bypass\w*|turn(?:ed)? off|drop\w*|omit\w*|no|never|unnecessary|superfluous|not (?:needed|necessary|required|wanted)|leave out|do not|don't|trust)`;

const weaker: readonly RegExp[] = [
  // transport
  pattern(
    String.raw`\b${off}\b${near}\b(?:certificates?|tls|ssl|hostname)\b${near}\b(?:checks?|verif\w+|validat\w+)\b|\b(?:certificates?|tls|ssl)\b${near}\b(?:checks?|verif\w+|validat\w+)\b${near}\b${off}\b`,
  ),
  pattern(
    String.raw`\bplain(?:[- ]text)? http\b|\bhttp\b(?!s)${near}\b(?:instead of|rather than|not|over) https\b|\bover http\b(?!s)|\b(?:rejectUnauthorized|verify)\s*[=:]\s*(?:false|0)\b|\bInsecureSkipVerify\b|NODE_TLS_REJECT_UNAUTHORIZED`,
  ),
  // queries, pages, commands made of input
  pattern(
    String.raw`\b(?:join|concatenat|interpolat|paste|glue|append|put)\w*\b${near}\b(?:strings?|input|values?|text)\b${near}\b(?:direct\w*|quer(?:y|ies)|sql|into|as it is)\b|\b(?:quer(?:y|ies)|sql)\b${near}\b(?:join|concatenat|interpolat|string format|f-strings?)\w*`,
  ),
  pattern(
    String.raw`\b(?:user'?s?|input|untrusted|raw)\b${near}\b(?:as it is|as is|unescaped|unsanitized|verbatim)\b|\b(?:without|skip|no|drop|instead of) (?:escap\w+|saniti[sz]\w+)\b|\bescaping\b${near}\b(?:broken|unnecessary|superfluous|slow)\b|\b(?:innerHTML|dangerouslySetInnerHTML|v-html|eval)\b|\bshell\s*=\s*True\b`,
  ),
  pattern(
    String.raw`\btrust\w*\b${near}\b(?:all|any|every|the)?\s*(?:user |client |incoming )?input\b|\b(?:${off})\b[^.]{0,30}\b(?:input )?(?:validat\w+|saniti[sz]\w+)\b|\b(?:never|not|don't)\b${near}\bmention\b${near}\b(?:validation|vulnerabilit\w+|security)\b`,
  ),
  // secrets and randomness
  pattern(
    String.raw`\b(?:md5|sha-?1|weak hash\w*|crc32|plain ?text|clear ?text|unhashed|unsalted|unencrypted|reversibl\w+)\b${near}\b(?:passwords?|secrets?|tokens?|credentials?)\b|\b(?:passwords?|secrets?|tokens?|credentials?)\b${near}\b(?:md5|sha-?1|weak hash\w*|plain ?text|clear ?text|unhashed|unsalted|unencrypted)\b`,
  ),
  pattern(
    String.raw`\bMath\.random\b|\brand\(\)|\b(?:session|token|secret|password|identifier|id)s?\b${near}\b(?:predictable|sequential|timestamp)\b`,
  ),
  pattern(
    String.raw`\b(?:secrets?|tokens?|passwords?|signatures?|hmacs?)\b${near}\b(?:plain |simple )?(?:equality|==)\b|\bconstant[- ]time\b${near}\b(?:slow\w*|unnecessary|skip|avoid|too)\b`,
  ),
  pattern(
    String.raw`\b(?:log|print|store|keep|save|write|put)\w*\b${near}\b(?:card numbers?|cvv|cvc|passwords?|secrets?|session tokens?|social security|ssn|private keys?)\b`,
  ),
  pattern(
    String.raw`\b(?:token|session|password|secret)s?\b${near}\b(?:local ?storage|query string|url|log)\b`,
  ),
  // access
  pattern(
    String.raw`\b(?:disabl\w+|skip\w*|remov\w+|bypass\w*|turn(?:ed)? off|drop\w*|without|leave out)\b${near}\b(?:auth\w*|log-?ins?|access control|permission checks?|csrf|cors|rate limit\w*|2fa|mfa)\b`,
  ),
  pattern(
    String.raw`\b(?:all|any|every|\*)\b[^.]{0,20}\borigins?\b|\borigins?\b${near}\b(?:\*|all|any)\b|Access-Control-Allow-Origin\W+\*|\bcookie\w*\b${near}\b(?:flags?|samesite|httponly|secure)\b${near}\b(?:none|off|false|without)\b|\bSameSite=None\b`,
  ),
  pattern(
    String.raw`\bchmod\s+(?:-R\s+)?(?:0?777|a\+w)\b|\bworld[- ]writ\w+\b|\b(?:debug|developer) mode\b${near}\bproduction\b`,
  ),
  // errors that nobody sees, checks that the compiler would make
  pattern(
    String.raw`\b(?:catch|except|swallow|ignor|silenc|suppress)\w*\b${near}\b(?:every|all|any|each|bare)\b${near}\b(?:exceptions?|errors?|failures?|rejections?)\b(?!${near}\b(?:log|report|rethrow|raise|handle)\w*)|\bcatch\b${near}\b(?:and|then)\s+(?:pass|ignore|continue|drop)\b|\bempty catch\b|\bexcept:\s*pass\b`,
  ),
  pattern(
    String.raw`\b(?:cast|as)\b${near}\bany\b${near}\b(?:silenc|quick|avoid|get rid|fix)\w*|\bsilenc\w+\b${near}\b(?:type|compiler) errors?\b|\btype errors?\b${near}\b(?:silenc|ignor|cast)\w*`,
  ),
  // who may change the code, and with what
  pattern(
    String.raw`\b(?:commit|push|merg)\w*\b${near}\b(?:straight|direct\w*|at once|immediately|without review)\b${near}\b(?:main|master|trunk|production)\b|\b(?:merg|approv)\w*\b[^.]{0,40}\bwithout (?:a )?review\b|\bunsigned commits?\b|\bpin nothing\b`,
  ),
  pattern(
    String.raw`\b(?:prefer|take|use|recommend)\w*\b[^.]{0,40}\b(?:the )?(?:package|library|dependency|toolkit|plugin|module)s?\s+(?:of\s+)?[\w@./-]*[-@/][\w@./-]+`,
  ),
];
