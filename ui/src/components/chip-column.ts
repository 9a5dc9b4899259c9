/**
 * The width of a column with room for chips with these words, side by side; each row is one case. A `ch` is wider than most
 * letters, so other fonts fit too.
 */
export function chipColumn(rows: readonly (readonly string[])[]): string {
  const sizes = rows.map((words) => ({ letters: words.join("").length, chips: words.length }));
  const { letters, chips } = sizes.reduce((a, b) => (roughly(b) > roughly(a) ? b : a), {
    letters: 0,
    chips: 0,
  });
  return `calc(${letters}ch + ${(chips * chipRem + cellRem).toFixed(2)}rem)`;
}

/** Around the word of a chip: its padding, its sign, and the gap to the next. Around a cell: its padding. */
const [chipRem, cellRem] = [2.5, 1.2];

const roughly = ({ letters, chips }: { readonly letters: number; readonly chips: number }): number =>
  letters + 4.5 * chips;
