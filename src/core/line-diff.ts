export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** How much of two texts, or lists of lines, is the same at the beginning and at the end, without counting anything twice. */
export function sameEnds(a: ArrayLike<string>, b: ArrayLike<string>): { head: number; tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** The shortest line-by-line diff from one text to another. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const { head, tail } = sameEnds(old, now);
  return [
    ...mark("same", old.slice(0, head)),
    ...diffMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...mark("same", old.slice(old.length - tail)),
  ];
}

/** Changed lines with `context` lines around them; a gap is one `null`. */
export function foldDiff(lines: readonly DiffLine[], context: number): readonly (DiffLine | null)[] {
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let each = at - context; each <= at + context; each += 1) near.add(each);
  }
  const last = lines.findLastIndex(({ kind }) => kind !== "same");
  return lines.flatMap((line, at) => {
    if (near.has(at)) return [line];
    return near.has(at - 1) && at < last ? [null] : [];
  });
}

const mark = (kind: DiffLine["kind"], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ kind, text }));

// a table of all pairs: 4 million cells take about 20 ms
const maxCells = 4_000_000;

function diffMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const width = now.length + 1;
  if (old.length * now.length > maxCells) return [...mark("removed", old), ...mark("added", now)];
  // longest common rest from each pair of positions
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [gone, come] = [old[row], now[column]];
    if (gone !== undefined && gone === come) {
      lines.push({ kind: "same", text: gone });
      row += 1;
      column += 1;
    } else if (gone !== undefined && (come === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "removed", text: gone });
      row += 1;
    } else if (come !== undefined) {
      lines.push({ kind: "added", text: come });
      column += 1;
    }
  }
  return lines;
}
