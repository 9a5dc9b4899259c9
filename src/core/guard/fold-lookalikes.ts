/** Replaces letters that only look Latin with Latin ones, so that disguised words are found. The length stays the same. */
export const foldLookalikes = (text: string): string =>
  text.replaceAll(disguised, (letter) => latin.get(letter) ?? letter);

const pairs = [
  ["асеорхуіјѕһԁԛԝӏѵүАВЕКМНОРСТХУІЈЅҺԌԚԜѴҮӀ", "aceopxyijshdqwlvyABEKMHOPCTXYIJSHGQWVYI"],
  ["αινορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹ", "aivopuABEZHIKMNOPTYXcjC"],
  ["օսհոզցքՕՍԼՏ", "ouhnqgpOULS"],
] as const;

const latin: ReadonlyMap<string, string> = new Map(
  pairs.flatMap(([from, to]) => Array.from(from, (letter, at) => [letter, to.charAt(at)] as const)),
);

const disguised = new RegExp(`[${pairs.map(([from]) => from).join("")}]`, "g");
