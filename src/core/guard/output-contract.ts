/**
 * Says why an edit must not be applied although it may help. It may tell the agent to ask the user something, or
 * demand another format or language than a task's contract. `contracts` are the tasks' `system` texts. Only English
 * is read and only clear cases are refused; the gate decides about the rest.
 */
export function violatesContract(content: string, contracts: readonly string[]): string | undefined {
  const demands = contracts.map(readContract);
  for (const sentence of splitSentences(content)) {
    const reason = asksUser(sentence) ?? changesOutput(sentence, demands);
    if (reason !== undefined) return `${reason}: ${JSON.stringify(sentence.slice(0, 160))}`;
  }
  return undefined;
}

/** The demands of one contract on the answer. */
interface Demands {
  readonly formats: readonly string[];
  readonly forbidden: readonly string[];
  readonly languages: readonly string[];
  /** The answer must come without anything else. */
  readonly isBare: boolean;
}

function readContract(contract: string): Demands {
  const formats: string[] = [];
  const forbidden: string[] = [];
  for (const match of contract.matchAll(anyFormat)) {
    const before = contract.slice(Math.max(0, match.index - 30), match.index);
    (isNegated(before) ? forbidden : formats).push(formatOf(match[0]));
  }
  const languages = [...contract.matchAll(contractLanguage)].map((match) => languageOf(match[1] ?? ""));
  return { formats, forbidden, languages, isBare: bareAnswer.test(contract) };
}

function asksUser(sentence: string): string | undefined {
  for (const match of sentence.matchAll(question)) {
    const before = sentence.slice(Math.max(0, match.index - 60), match.index);
    if (!isNegated(before) && !/\b(?:who|that|which|users?|they|people)\s+$/i.test(before))
      return "It tells the agent to ask the user";
  }
  return undefined;
}

function changesOutput(sentence: string, demands: readonly Demands[]): string | undefined {
  // "if JSON is asked for, answer in JSON" follows the contract, so it's fine
  if (onRequest.test(sentence)) return undefined;
  const formats = demands.flatMap((demand) => demand.formats);
  for (const match of sentence.matchAll(answerFormat)) {
    const format = formatOf(match.slice(1).find((name) => name !== undefined) ?? "");
    const isRefused = isNegated(sentence.slice(0, match.index)) || isNegated(match[0]);
    if (isRefused && formats.length > 0 && demands.every((demand) => demand.formats.includes(format)))
      return `It forbids ${format}, which the tasks require`;
    if (isRefused || formats.includes(format)) continue;
    if (demands.some((demand) => demand.forbidden.includes(format)))
      return `It asks for ${format}, which a task forbids`;
    const other = formats.find((required) => isData(required) || isData(format));
    if (other !== undefined) return `It asks for ${format}, and a task requires ${other}`;
  }
  return changesLanguage(sentence, demands) ?? addsExplanation(sentence, demands);
}

function changesLanguage(sentence: string, demands: readonly Demands[]): string | undefined {
  const required = demands.flatMap((demand) => demand.languages);
  const [first] = required;
  if (first === undefined) return undefined;
  for (const match of sentence.matchAll(answerLanguage)) {
    if (isNegated(sentence.slice(0, match.index)) || isNegated(match[0])) continue;
    const language = match[1] === undefined ? "the language of the input" : languageOf(match[1]);
    if (!required.includes(language)) return `It asks for ${language}, and a task requires ${first}`;
  }
  return undefined;
}

function addsExplanation(sentence: string, demands: readonly Demands[]): string | undefined {
  if (demands.length === 0 || !demands.every((demand) => demand.isBare)) return undefined;
  const match = explanation.exec(sentence);
  if (match === null || isNegated(sentence.slice(0, match.index)) || isNegated(match[0])) return undefined;
  return "It adds an explanation where the tasks require the bare answer";
}

const splitSentences = (text: string): readonly string[] =>
  text
    .normalize("NFKC")
    .replaceAll(/[*_`]+/g, "")
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-+>#•]+|\d+[.)])\s*/, "").trim())
    .filter((sentence) => sentence !== "");

const isNegated = (before: string): boolean =>
  /(?:\b(?:not|never|without|avoid|nor|no|cannot|refrain|instead of|rather than|no need to|stop|neither|nothing)\b|n['’]t\b)[^.;:]*$/i.test(
    before,
  );

const person = String.raw`(?:the\s+|your\s+|a\s+)?(?:end[- ])?(?:users?|requesters?|askers?|human)\b`;
const question = new RegExp(
  [
    String.raw`\b(?:ask|asking|prompt|prompting|query|consult|question)\s+${person}`,
    String.raw`\b(?:check|confirm|clarify|verify|double-check|checking|confirming|clarifying|verifying)\s+(?:\S+\s+){0,6}?with\s+${person}`,
    String.raw`\b(?:ask|asking|request|requesting|seek|seeking|obtain|get|await|wait\s+for)\s+(?:\S+\s+){0,4}?(?:clarification|confirmation|approval|feedback|input|details|information)\s+(?:from|of|by)\s+${person}`,
    String.raw`\b(?:ask|asking|request|requesting|seek|seeking)\s+(?:\S+\s+){0,2}?(?:clarification|clarifying\s+questions?|follow-?up\s+questions?)`,
    String.raw`\bwait\s+for\s+(?:the\s+|your\s+)?user['’]?s?\s+(?:to\s+)?(?:reply|answer|confirm|confirmation|approval|response|input|decision|choose)`,
    String.raw`\b(?:reply|respond|answer)\s+with\s+(?:a|one|another)\s+(?:\S+\s+)?question\b`,
    String.raw`\b(?:pose|put)\s+(?:\S+\s+){0,3}?questions?\s+to\s+${person}`,
    String.raw`\b(?:have|let|invite)\s+${person}\s+(?:to\s+)?(?:choose|confirm|decide|clarify|pick|specify)\b`,
  ].join("|"),
  "gi",
);

const formatNames = String.raw`JSON(?:L| Lines)?|XML|YAML|YML|TOML|CSV|TSV|HTML|LaTeX|markdown|plain[- ]text|(?:bullet(?:ed)?|numbered|bullet[- ]point)\s+lists?|bullet\s+points|tables?`;
const anyFormat = new RegExp(String.raw`\b(?:${formatNames})\b`, "gi");

const verb = String.raw`(?:answer|reply|respond|output|return|produce|emit|deliver|present|print|write|give|format|provide|render|structure|wrap)`;
const thing = String.raw`(?:(?:the|your|every|each|all|any)\s+)?(?:final\s+|whole\s+|entire\s+)?(?:answers?|reply|replies|responses?|outputs?|results?|it|everything)`;
const lead = String.raw`(?:^|[,:]\s*|\b(?:always|please|then|must|should|shall|only|and|never|not|n['’]t|to)\s+)`;
const adjectives = String.raw`(?:(?:a|an|one|single|valid|well-formed|proper|strict|pretty-printed|raw|compact|nested|github|clean)\s+)*`;
const answerFormat = new RegExp(
  [
    // "reply in XML", "return the result as a YAML document", "wrap the answer in HTML"
    String.raw`${lead}${verb}\s+(?:${thing}\s+)?(?:in|as|using|with|into|to|inside)\s+${adjectives}(${formatNames})\b`,
    // "the answer must be valid CSV"
    String.raw`${thing}\s+(?:must|should|has\s+to|have\s+to|needs?\s+to|shall|is|are)\s+(?:always\s+|not\s+|never\s+)?(?:be\s+)?(?:in\s+|as\s+|formatted\s+(?:as|in)\s+|written\s+in\s+)?${adjectives}(${formatNames})\b`,
    // "output JSON", "return YAML"
    String.raw`(?:^|\b(?:always|please|must|should|only|never|not)\s+)(?:output|return|emit|produce)\s+${adjectives}(${formatNames})\b`,
    // "use markdown for the answer"
    String.raw`${lead}use\s+${adjectives}(${formatNames})\s+(?:\S+\s+)?(?:for|in)\s+${thing}`,
  ].join("|"),
  "gi",
);

const isData = (format: string): boolean => /^(?:JSON|XML|YAML|TOML|CSV|TSV|HTML|LaTeX)$/.test(format);

function formatOf(name: string): string {
  const folded = name.toLowerCase().replaceAll(/[\s-]+/g, " ");
  if (folded.startsWith("json")) return "JSON";
  if (folded === "yml") return "YAML";
  if (folded === "latex") return "LaTeX";
  if (/list|points/.test(folded)) return "a list";
  if (folded.startsWith("table")) return "a table";
  return folded.length <= 4 ? folded.toUpperCase() : folded;
}

const languageNames =
  "English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Ukrainian|Chinese|Mandarin|Japanese|Korean|Arabic|Hebrew|Hindi|Turkish|Swedish|Norwegian|Danish|Finnish|Czech|Greek|Hungarian|Romanian|Latin|Vietnamese|Thai|Indonesian";
const region = String.raw`(?:(?:plain|simple|formal|informal|British|American|US|UK|Swiss|Austrian|Brazilian|simplified|traditional|modern)\s+)*`;
const contractLanguage = new RegExp(
  String.raw`\b(?:in|into|to)\s+${region}(${languageNames}|Deutsch|français|español|italiano|português)\b`,
  "gi",
);
const answerLanguage = new RegExp(
  String.raw`(?:${lead}(?:${verb}|translate)\s+(?:${thing}\s+|(?:the\s+)?(?:explanation|text|message|summary)s?\s+)?(?:only\s+|always\s+|entirely\s+)?(?:in|into)|${thing}\s+(?:must|should|has\s+to|shall|is|are)\s+(?:always\s+)?(?:be\s+)?(?:written\s+)?in)\s+(?:${region}(${languageNames})\b|(?:the\s+)?(?:(?:user|customer|reader)['’]?s\s+(?:own\s+)?language|(?:same\s+)?language\s+(?:of|as)\s+the\b))`,
  "gi",
);

function languageOf(name: string): string {
  const folded = name.toLowerCase();
  const english = new Map([
    ["deutsch", "german"],
    ["français", "french"],
    ["español", "spanish"],
    ["italiano", "italian"],
    ["português", "portuguese"],
    ["mandarin", "chinese"],
  ]);
  const language = english.get(folded) ?? folded;
  return language.charAt(0).toUpperCase() + language.slice(1);
}

const onRequest =
  /\b(?:if|when|where|whenever|unless)\b[^.;]*\b(?:asks?|asked|wants?|wanted|requests?|requested|requires?|required|demands?|demanded|says|contract|specif(?:y|ies|ied))\b/i;

const bareAnswer =
  /\b(?:alone|nothing else|no explanations?|without (?:any )?(?:comment|explanation)|(?:text|translation|code|value|number|answer|sentence|word|label) only|only the|just the)\b/i;

const explanation = new RegExp(
  String.raw`\b(?:add|append|include|give|provide|write|attach)\s+(?:\S+\s+){0,3}?(?:explanation|reasoning|justification|rationale|commentary)\b(?:\s+\S+){0,3}?\s+(?:(?:in|to|with|after|before|below|under|beneath|following)\s+(?:the|your|every|each)\s+(?:final\s+)?(?:answer|reply|response|output|code|value|number|result|translation|label))`,
  "i",
);
