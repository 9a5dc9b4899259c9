import { type FoundPower, found } from "./addresses.ts";
import type { PowerText } from "./power-text.ts";

/**
 * Sentences in a language that is not English: the other detectors read English words, so that these are shown to a
 * person as they are. A language that the old text uses is no news.
 */
export const findLanguages = (
  text: PowerText,
  old: PowerText,
): readonly (FoundPower & { readonly language: string })[] => {
  const known = languagesIn(old);
  return text.sentences.flatMap((sentence) => {
    const language = languageOf(sentence.text);
    return language === undefined || known.has(language)
      ? []
      : [{ ...found("language", sentence), language }];
  });
};

/** The languages of a text but for English. */
export const languagesIn = ({ sentences }: PowerText): ReadonlySet<string> =>
  new Set(sentences.flatMap(({ text }) => languageOf(text) ?? []));

function languageOf(sentence: string): string | undefined {
  const prose = sentence.replaceAll(/`[^`]*`|"[^"]*"|\u201c[^\u201d]*\u201d|\u201e[^\u201c]*\u201c/g, " ");
  const foreign = prose.match(notLatin) ?? [];
  if (foreign.length >= 3)
    return scripts.find(({ letters }) => letters.test(foreign.join("")))?.name ?? "another script";
  const words = prose.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (of: ReadonlySet<string>) => words.filter((word) => of.has(word)).length;
  const best = languages
    .map(({ name, words: own }) => ({ name, count: count(own) }))
    .reduce((a, b) => (b.count > a.count ? b : a));
  if (best.count >= 2 && best.count > count(english)) return best.name;
  const marked = words.filter((word) => /[^a-z]/.test(word)).length;
  return marked >= 2 && count(english) === 0 ? "another language" : undefined;
}

const notLatin = /(?!\p{Script=Latin})\p{L}/gu;

// a Japanese sentence is told by its kana
const scripts = [
  "Hiragana",
  "Katakana",
  "Han",
  "Hangul",
  "Cyrillic",
  "Arabic",
  "Hebrew",
  "Thai",
  "Devanagari",
  "Greek",
].map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, "u") }));

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
  {
    name: "Turkish",
    words:
      "ve ile i\u00e7in bir bu de da her zaman asla olsun hi\u00e7 daha gibi kadar sonra \u00f6nce t\u00fcm yaln\u0131zca kullan yaz",
  },
  {
    name: "Swedish",
    words:
      "och att det som en ett inte f\u00f6r med p\u00e5 av till \u00e4r alltid aldrig alla bara utan eller om n\u00e4r ska",
  },
  {
    name: "Danish or Norwegian",
    words:
      "og at det som en et ikke for med p\u00e5 av af til er alltid aldri altid aldrig alle bare uten uden eller n\u00e5r skal",
  },
  {
    name: "Indonesian",
    words:
      "dan yang di ke dari untuk dengan tidak ini itu selalu jangan semua atau jika saat harus hanya langsung gunakan",
  },
  {
    name: "Vietnamese",
    words:
      "v\u00e0 c\u1ee7a kh\u00f4ng cho v\u1edbi l\u00e0 c\u00e1c m\u1ed9t lu\u00f4n d\u00f9ng ph\u1ea3i c\u00f3 v\u00e0o qua th\u1eb3ng b\u1ecf khi t\u1ea5t c\u1ea3",
  },
].map(({ name, words }) => ({ name, words: new Set(words.split(" ").filter((word) => !english.has(word))) }));
