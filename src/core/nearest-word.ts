/** `Did you mean "x"?`, or another hint when no known word is close. */
export function meant(word: string, known: readonly string[], otherwise: string): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? otherwise : `Did you mean "${nearest}"?`;
}

/** The known word closest to a mistyped one, or undefined when none is close. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((each) => ({ each, distance: editDistance(word.toLowerCase(), each.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // with more than half of the letters wrong, it's another word and not a typo
  if (best === undefined || best.distance > Math.max(word.length, best.each.length) / 2) return undefined;
  return best.each;
}

function editDistance(a: string, b: string): number {
  const others = Array.from(b);
  let previous = Array.from({ length: others.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(a).entries()) {
    const current = [row + 1];
    for (const [column, other] of others.entries()) {
      const above = (previous[column + 1] ?? 0) + 1;
      const left = (current[column] ?? 0) + 1;
      const diagonal = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(above, left, diagonal));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
