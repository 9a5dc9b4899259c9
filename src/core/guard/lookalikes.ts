/** A word that reads as Latin and is not. */
export interface Lookalike {
  /** UTF-16 offset into the text. */
  readonly index: number;
  readonly word: string;
}

/**
 * Words in which foreign letters stand in for Latin ones, in full or in part, so that every letter looks Latin. A word
 * in a single script passes on a line where that script is unmistakable, and so does one in a script that `known`, a
 * text the reader trusts already, uses.
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
  // a mixture is no word of any language
  if (foreign.length < letters.length || scripts.size > 1) return true;
  return !script.unmistakable.test(surroundings);
}

interface LookalikeScript {
  /** Letters that common fonts draw like a Latin one. */
  readonly looks: RegExp;
  /** Found only where the script is used in earnest. */
  readonly unmistakable: RegExp;
  /** Letters that a suspicious word has at least. */
  readonly shortest: number;
}

const script = (name: string, letters: string, shortest = 2): LookalikeScript => ({
  looks: new RegExp(`[${letters}]`, "u"),
  unmistakable: new RegExp(`(?![${letters}])(?=\\p{L})\\p{Script=${name}}`, "u"),
  shortest,
});

// wide and mathematical forms of a to z; the wide ones belong beside Chinese, Japanese and Korean
const styled: LookalikeScript = {
  looks: /[\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D6A3}]/u,
  unmistakable: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u,
  shortest: 2,
};

const lookalikeScripts: readonly LookalikeScript[] = [
  styled,
  script("Cyrillic", "асеорхуіјѕһԁԛԝӏѵүАВЕКМНОРСТХУІЈЅҺԌԚԜѴҮӀ"),
  // formulas put Greek beside Latin letters: ρgh, αx
  script("Greek", "αγινορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹ", 4),
  script("Armenian", "օսհոզցքՕՍԼՏ"),
  script("Cherokee", "ᎠᎡᎢᎥᎪᎫᎬᎳᎵᎷᎻᎽᏀᏃᏆᏒᏔᏚᏞᏟᏢᏤᏦᏭᏴ"),
];
