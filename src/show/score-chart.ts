import type { RunState } from "../report/run-state.ts";
import { valCurve } from "../report/val-curve.ts";
import { levelText } from "../core/shown-level.ts";
import { stepLook } from "../core/verdict-words.ts";
import { colors } from "./format.ts";
import type { Glyphs } from "./glyphs.ts";

/** The score of the skill that a step ended with. */
export interface ScorePoint {
  /** A step's number, or `end`. */
  readonly name: string;
  readonly score: number;
  readonly low: number;
  readonly high: number;
  /** Whether the step changed the skill. */
  readonly isNew: boolean;
}

export interface ChartSize {
  readonly columns: number;
  readonly rows: number;
  /** Steps that there will be. */
  readonly steps: number;
}

const axisColumns = 8;
const [newText, sameText] = (["accept", "reject"] as const).map((action) => stepLook(action, true).word);

/** Score over steps with its interval: one line per row, one more for the steps below. */
export function terminalScoreChart(
  points: readonly ScorePoint[],
  { columns, rows, steps }: ChartSize,
  glyphs: Glyphs,
): readonly string[] {
  const room = Math.max(columns - axisColumns, 1);
  const each = Math.min(Math.max(Math.floor(room / (steps + 2)), 1), 8);
  // more steps than columns: the latest ones
  const shown = points.slice(-Math.floor(room / each));
  const { low, high } = axisRange(shown);
  const rowOf = (score: number) =>
    Math.min(Math.max(Math.round(((high - score) / (high - low)) * (rows - 1)), 0), rows - 1);
  const lines = Array.from({ length: rows }, (_, row) => {
    const value = high - ((high - low) * row) / Math.max(rows - 1, 1);
    const cells = shown.map((point) => cellAt(row, point, rowOf, glyphs) + " ".repeat(each - 1));
    const label = `${Math.round(100 * value)} %`.padStart(axisColumns - 2);
    return `${colors.dim(`${label} ${glyphs.axis}`)}${cells.join("").trimEnd()}`;
  });
  const width = shown.length * each;
  const first = `step ${shown[0]?.name ?? 0}`;
  const last = shown.at(-1)?.name ?? "";
  const gap = width - first.length - last.length;
  const names = gap > 0 && shown.length > 1 ? `${first}${" ".repeat(gap)}${last}` : first;
  const legend = `${glyphs.isNew} ${newText}  ${glyphs.isSame} ${sameText}  ${glyphs.reach} ${levelText} interval`;
  const below = `${" ".repeat(axisColumns - 1)}${glyphs.corner}${names}`;
  const fits = below.length + 4 + legend.length <= columns;
  return [...lines, colors.dim(fits ? `${below}    ${legend}` : below)];
}

function cellAt(
  row: number,
  { score, low, high, isNew }: ScorePoint,
  rowOf: (score: number) => number,
  glyphs: Glyphs,
): string {
  if (row === rowOf(score)) return isNew ? colors.green(glyphs.isNew) : glyphs.isSame;
  return row >= rowOf(high) && row <= rowOf(low) ? colors.dim(glyphs.reach) : " ";
}

/** Tenths that hold every interval. */
function axisRange(points: readonly ScorePoint[]): { readonly low: number; readonly high: number } {
  if (points.length === 0) return { low: 0, high: 1 };
  const low = Math.floor(10 * Math.min(...points.map((point) => point.low))) / 10;
  const high = Math.ceil(10 * Math.max(...points.map((point) => point.high))) / 10;
  return low === high ? { low: Math.max(low - 0.1, 0), high: Math.min(high + 0.1, 1) } : { low, high };
}

/** The val score that each step ended with, the original's first; nothing with `gate: off`. */
export const scorePoints = ({ rows, turns, baseline, tasks }: RunState): readonly ScorePoint[] =>
  valCurve({
    baseline,
    steps: rows.map(({ step, action, current: { score } }) => ({
      step,
      action,
      incumbent: score ?? undefined,
    })),
    end: turns.find(({ turn }) => turn === "end"),
    tasks: tasks.val,
  }).map(({ name, estimate: { value, low, high }, isNew }) => ({ name, score: value, low, high, isNew }));
