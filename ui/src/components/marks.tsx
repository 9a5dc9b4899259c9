import type { Mark, Moment } from "../rollout-marks.ts";
import "./marks.css";

const size = 11;
const gap = 5;

/** Each has its own shape: a filled disc, a cross, a filled triangle, a broken ring, a dot. */
const shapes: Readonly<Record<Mark, (x: number) => string>> = {
  pass: (x) => `M${x + 1.5} 5.5a4 4 0 1 0 8 0a4 4 0 1 0-8 0z`,
  fail: (x) => `M${x + 2} 2l7 7m0-7l-7 7`,
  part: (x) => `M${x + 5.5} 1.5l4 7.5h-8z`,
  missing: (x) => `M${x + 2} 5.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z`,
  none: (x) => `M${x + 5} 5.5h1`,
};

export const markWords: Readonly<Record<Mark, string>> = {
  pass: "passed",
  fail: "failed",
  part: "partly passed",
  missing: "result missing",
  none: "not asked",
};

/** One mark for legends and buttons, shown next to its word. */
export const MarkSign = ({ mark }: { readonly mark: Mark }) => (
  <svg class="marks" width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
    <path class={mark} d={shapes[mark](0)} />
  </svg>
);

/** All marks of a task's row as at most five paths, however many marks there are. */
export interface Strip {
  readonly width: number;
  readonly paths: ReadonlyMap<Mark, string>;
}

export function drawStrip(groups: readonly (readonly Mark[])[], places: readonly number[]): Strip {
  const paths = new Map<Mark, string>();
  for (const [at, group] of groups.entries())
    for (const [nth, mark] of group.entries())
      paths.set(mark, (paths.get(mark) ?? "") + shapes[mark]((places[at] ?? 0) + nth * size));
  return { width: places.at(-1) ?? 0, paths };
}

export function MarkStrip({
  strip: { width, paths },
  label,
}: {
  readonly strip: Strip;
  /** The marks in words. */
  readonly label: string;
}) {
  return (
    <svg
      class="marks"
      width={width}
      height={size}
      viewBox={`0 0 ${width} ${size}`}
      role="img"
      aria-label={label}
    >
      {[...paths].map(([mark, path]) => (
        <path key={mark} class={mark} d={path} />
      ))}
    </svg>
  );
}

/** The column headings of the marks, each above the first mark of its moment. */
export function MarkHeads({
  moments,
  places,
}: {
  readonly moments: readonly Moment[];
  readonly places: readonly number[];
}) {
  const width = places.at(-1) ?? 0;
  return (
    <svg
      class="mark-heads"
      width={width}
      height={14}
      viewBox={`0 0 ${width} 14`}
      role="img"
      aria-label="Moments of the run"
    >
      {moments.map(({ short, name }, at) => (
        <text key={name} x={places[at]} y={11}>
          <title>{name}</title>
          {short}
        </text>
      ))}
    </svg>
  );
}

/** The width of a letter in a heading, in pixels. */
const letter = 5.8;

/** The start of each moment, with room for its marks and its heading; the last number is the end of all. */
export function markStarts(moments: readonly Moment[], widths: readonly number[]): readonly number[] {
  const places = [0];
  for (const [at, { short }] of moments.entries())
    places.push((places[at] ?? 0) + Math.max((widths[at] ?? 1) * size, short.length * letter) + gap);
  return places;
}
