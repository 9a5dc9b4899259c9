import { foldText, isTopicWord, readWords } from "../guard/leak-words.ts";
import { findRules } from "../rules/prune/find-rules.ts";
import type { Skill } from "../skill/skill.ts";
import { type LintFinding, placeAt } from "./lint-finding.ts";

/** Finds sentences that ask for quality but name nothing to do or avoid: a model does that anyway, or can't tell how. */
export function findVagueRules(skill: Skill): readonly LintFinding[] {
  return findRules(skill).flatMap(({ file, start, text }) => {
    const whole = skill.files[file] ?? "";
    return sentencesOf(withoutCode(text)).flatMap(({ at, sentence }): readonly LintFinding[] =>
      isVague(sentence)
        ? [
            {
              kind: "vague",
              place: placeAt(file, whole, start + at),
              text: `"${short(sentence)}" names nothing to do or avoid`,
              next: "Say what to do in which case, so that two readers would do the same: “When …, do … (such as …); never …”.",
            },
          ]
        : [],
    );
  });
}

const short = (sentence: string): string => {
  const plain = sentence
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:[-*+]|\d+[.)])\s+/, "")
    .trim();
  return plain.length > 60 ? `${plain.slice(0, 59)}…` : plain;
};

/** Blanks out code, which is neither vague nor a rule, so that offsets stay right. */
const withoutCode = (text: string): string =>
  text.replaceAll(/```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g, (code) => code.replaceAll(/[^\n]/g, " "));

function sentencesOf(text: string): readonly { readonly at: number; readonly sentence: string }[] {
  return Array.from(
    text.matchAll(/[^\n.!?;]+(?:[.!?;](?!\s|$)[^\n.!?;]*)*[.!?;]?/g),
    ({ index, 0: sentence }) => ({
      at: index + (sentence.length - sentence.trimStart().length),
      sentence,
    }),
  ).filter(({ sentence }) => sentence.trim() !== "");
}

function isVague(sentence: string): boolean {
  const match = vague.exec(sentence);
  // a figure, a name in code, a quotation or text after a colon is concrete enough
  if (match === null || /[`"“\d]|:\s*\S/.test(sentence)) return false;
  const rest = `${sentence.slice(0, match.index)} ${sentence.slice(match.index + match[0].length)}`;
  const telling = readWords(foldText(rest)).filter(({ text }) => isTopicWord(text) && !fillers.has(text));
  return telling.length <= mostTelling;
}

/** The most telling words next to the phrase: "careful with files" is vague, "with the tables of the old billing" isn't. */
const mostTelling = 2;

const vague = new RegExp(
  [
    String.raw`\bbe\s+(?:very |really |extra |always )?(?:careful|thorough|accurate|precise|mindful|smart|helpful|professional|diligent|rigorous|creative|meticulous|cautious|sensible|reasonable)\b`,
    String.raw`\b(?:use|apply|exercise)\s+(?:your\s+)?(?:good\s+|best\s+|common\s+)(?:judge?ment|sense|practices?|effort)\b`,
    String.raw`\bfollow(?:ing)?\s+(?:all\s+|the\s+|industry\s+)*best\s+practices?\b`,
    String.raw`\bdo\s+(?:your\s+best|(?:things?|it|everything|this|the (?:work|job))\s+(?:well|right|properly|correctly|carefully))\b`,
    String.raw`\b(?:pay|give)\s+(?:close\s+|careful\s+)?attention\s+to\s+(?:the\s+)?details?\b`,
    String.raw`\b(?:ensure|make sure|guarantee)\s+(?:that\s+)?(?:\w+\s+){0,4}?(?:high|good|top|best)[- ]quality\b`,
    String.raw`\b(?:ensure|make sure|guarantee|maintain|strive for|aim for|deliver|produce|write)\s+(?:the\s+)?(?:high|good|top|best|clean|excellent|great)(?:[- ]quality)?\s+(?:quality|code|work|results?|outputs?|answers?)\b`,
    String.raw`\bthink\s+(?:very\s+)?(?:carefully|hard|deeply|thoroughly)\b`,
    String.raw`\b(?:handle|treat|deal with|process|format|manage)\s+(?:\w+\s+){1,4}?(?:properly|appropriately|correctly|well|gracefully|carefully|accordingly|as needed|as appropriate)\b`,
    String.raw`\b(?:as|where|when|if)\s+(?:appropriate|necessary|needed|applicable)\b`,
    String.raw`\bmake\s+(?:sure|certain)\s+(?:that\s+)?(?:everything|it|all|the (?:result|output|answer|code))\s+(?:is|works?|looks?)\s+(?:\w+\s+)?(?:good|right|fine|correct|well|properly|perfect|great|ok(?:ay)?)\b`,
    String.raw`\bkeep\s+(?:it|things|everything|the (?:code|answer|output|text))\s+(?:simple|clean|good|nice|clear|professional)\b`,
    String.raw`\bdouble[- ]check\s+(?:everything|your work|it|all)\b`,
    String.raw`\btake\s+(?:great\s+|special\s+)?care\b(?!\s+of)`,
    String.raw`\btry\s+(?:your best|hard)\b`,
    String.raw`\bavoid\s+(?:\w+\s+)?(?:mistakes|errors|problems|issues|bad (?:code|practices))\b`,
  ].join("|"),
  "i",
);

const fillers = new Set(
  "please always ensure make sure really very good well code work user users file files data output outputs input inputs thing things everything anything important remember try best quality".split(
    " ",
  ),
);
