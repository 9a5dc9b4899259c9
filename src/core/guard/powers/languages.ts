import { type FoundPower, found } from "./addresses.ts";
import type { PowerText } from "./power-text.ts";

/**
 * Sentences in a language that is not English: the other detectors read English words, so that these are shown to a
 * person as they are. A language that the old text uses is no news.
 */
export const findLanguages = (text: PowerText, old: PowerText): readonly FoundPower[] => {
  const known = new Set(old.sentences.map((sentence) => languageOf(sentence.text)));
  return text.sentences
    .filter((sentence) => {
      const language = languageOf(sentence.text);
      return language !== undefined && !known.has(language);
    })
    .map((sentence) => found("language", sentence));
};

function languageOf(sentence: string): string | undefined {
  const prose = sentence.replaceAll(/`[^`]*`|"[^"]*"|\u201c[^\u201d]*\u201d|\u201e[^\u201c]*\u201c/g, " ");
  const script = scripts.find(({ letters }) => (prose.match(letters)?.length ?? 0) >= 4);
  if (script !== undefined) return script.name;
  const words = prose.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (of: ReadonlySet<string>) => words.filter((word) => of.has(word)).length;
  const best = languages
    .map(({ name, words: own }) => ({ name, count: count(own) }))
    .reduce((a, b) => (b.count > a.count ? b : a));
  return best.count >= 3 && best.count > count(english) ? best.name : undefined;
}

const scripts = [
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Cyrillic",
  "Arabic",
  "Hebrew",
  "Thai",
  "Devanagari",
  "Greek",
].map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, "gu") }));

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const english = setOf(
  "the a an and or of to in is are be for on with as by at from that this it if when not do does you your never always use all any what which who was were will would can could should must may no so then than there their they them we our he she his her has have had but into out only each every after before",
);

// words that carry sentences; those that English has too are left out
const languages = [
  {
    name: "German",
    words:
      "der die das und oder nicht ist sind ein eine einen dem den des im mit von zu f\u00fcr auf wenn dass du sie wird werden auch nur alle immer nie kein keine dann nach vor bei \u00fcber sich dein ihr es ich",
  },
  {
    name: "French",
    words:
      "le la les un une des du de et ou ne pas est sont dans avec pour sur que qui ce cette ces si vous il elle tous toujours jamais au aux par sans plus votre ton leur",
  },
  {
    name: "Spanish",
    words:
      "el la los las un una de del y o no es son en con para por que si se lo al como su sus todo todos siempre nunca sin este esta tu usted",
  },
  {
    name: "Italian",
    words:
      "il lo la gli le un una di del della e o non \u00e8 sono nel con per che se si come suo tutti sempre mai senza questo questa",
  },
  {
    name: "Portuguese",
    words:
      "o os as um uma de do da dos das e ou n\u00e3o \u00e9 s\u00e3o em no na com para por que se seu sua todos sempre nunca sem este esta voc\u00ea",
  },
  {
    name: "Dutch",
    words:
      "de het een en of niet is zijn in met van voor op dat die als je u ook alleen alle altijd nooit geen dan na bij naar wordt worden",
  },
  {
    name: "Polish",
    words:
      "i w na z do nie jest s\u0105 si\u0119 \u017ce to jak dla od po przez albo lub zawsze nigdy wszystkie bez ten ta",
  },
].map(({ name, words }) => ({ name, words: new Set(words.split(" ").filter((word) => !english.has(word))) }));
