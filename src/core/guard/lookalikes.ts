/** A word that looks Latin but isn't. */
export interface Lookalike {
  /** UTF-16 offset into the text. */
  readonly index: number;
  readonly word: string;
}

/**
 * Finds words that use foreign letters, in full or in part, and yet look entirely Latin. A word in a single
 * script passes on a line where that script is unmistakable. It also passes if `known`, a text the reader already
 * trusts, uses the script.
 */
export function findLookalikes(text: string, known = ""): readonly Lookalike[] {
  const found: Lookalike[] = [];
  let lineStart = 0;
  for (const line of text.split("\n")) {
    for (const { 0: word, index } of line.matchAll(/[\p{L}\p{M}]{2,}/gu)) {
      if (isDisguise(word, `${line}\n${known}`)) found.push({ index: lineStart + index, word });
    }
    lineStart += line.length + 1;
  }
  return found;
}

function isDisguise(word: string, surroundings: string): boolean {
  const letters = Array.from(word.replaceAll(/\p{M}/gu, ""));
  const foreign = letters.filter((letter) => styled.looks.test(letter) || !/\p{Script=Latin}/u.test(letter));
  const scripts = new Set(foreign.map((letter) => lookalikeScripts.find(({ looks }) => looks.test(letter))));
  const [script] = scripts;
  if (script === undefined || scripts.has(undefined) || letters.length < script.shortest) return false;
  // no language mixes scripts within a word
  if (foreign.length < letters.length || scripts.size > 1) return true;
  return !script.unmistakable.test(surroundings);
}

interface LookalikeScript {
  /** Letters that look Latin in common fonts. */
  readonly looks: RegExp;
  /** Letters that only appear where the script is really used. */
  readonly unmistakable: RegExp;
  /** The minimum number of letters in a suspicious word. */
  readonly shortest: number;
}

const script = (name: string, letters: string, shortest = 2): LookalikeScript => ({
  looks: new RegExp(`[${letters}]`, "u"),
  unmistakable: new RegExp(`(?![${letters}])(?=\\p{L})\\p{Script=${name}}`, "u"),
  shortest,
});

// wide and mathematical forms of a to z; the wide ones are normal next to Chinese, Japanese and Korean
const styled: LookalikeScript = {
  looks: /[\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D6A3}]/u,
  unmistakable: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u,
  shortest: 2,
};

const lookalikeScripts: readonly LookalikeScript[] = [
  styled,
  script("Cyrillic", "асеорхуіјѕһԁԛԝӏѵүАВЕКМНОРСТХУІЈЅҺԌԚԜѴҮӀ"),
  // formulas mix Greek with Latin letters: ρgh, αx
  script("Greek", "αγινορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹ", 4),
  script("Armenian", "օսհոզցքՕՍԼՏ"),
  script("Cherokee", "ᎠᎡᎢᎥᎪᎫᎬᎳᎵᎷᎻᎽᏀᏃᏆᏒᏔᏚᏞᏟᏢᏤᏦᏭᏴ"),
];
