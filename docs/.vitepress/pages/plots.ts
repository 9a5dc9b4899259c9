import { readFileSync } from "node:fs";
import { join } from "node:path";
import { firstBar as barOf } from "../../../src/core/gate/claim/account.ts";
import { root } from "./read-source.ts";

/** The bar of a first question on tasks, in percent. */
const firstBar = 100 * barOf(0.05);

/** How often a claim is a false "better", from the recorded figures of proof `gate`. */
export function falseClaimsPlot(): string {
  const rows = readCells("Claim: false accepts");
  const lines = [1, 3, 5].map((trials) => ({
    label: `${trials} ${trials === 1 ? "trial" : "trials"}`,
    points: rows.flatMap(({ tasks, trials: each, values: [share] }) =>
      each === trials && share !== undefined ? [[tasks, share] as const] : [],
    ),
  }));
  return plot({
    title: "False “better” where both skills are equal, in percent of claims",
    under: "test tasks",
    ticks: [4, 10, 20, 50, 100, 200],
    heights: [0, 1, 2, 3],
    limit: { at: firstBar, label: `the bar of a first question, ${firstBar.toFixed(1)}%` },
    lines,
  });
}

/** How often a true gain is found, from the same figures. */
export function powerPlot(): string {
  const rows = readCells('Claim: how often it says "better"').filter(({ trials }) => trials === 3);
  const effects = [0, 5, 10, 20];
  return plot({
    title: "A true gain is called “better”, in percent of claims (3 trials)",
    under: "true gain in points",
    ticks: effects,
    heights: [0, 20, 40, 60, 80, 100],
    lines: rows
      .filter(({ tasks }) => tasks >= 10)
      .map(({ tasks, values }) => ({
        label: `${tasks} tasks`,
        // the columns of losses come first
        points: effects.map((effect, at) => [effect, values[at + 2] ?? 0] as const),
      })),
  });
}

interface Row {
  readonly tasks: number;
  readonly trials: number;
  readonly values: readonly (number | undefined)[];
}

/** A table of RESULTS.md whose rows are `| 10 × 3 | … |`; of `a / b` the first. */
function readCells(heading: string): readonly Row[] {
  const text = readFileSync(join(root, "proofs/RESULTS.md"), "utf8");
  const from = text.indexOf(`### ${heading}`);
  if (from === -1) throw new Error(`proofs/RESULTS.md has no table "${heading}".`);
  const [part = ""] = text.slice(from + 4).split(/^#/m);
  return [...part.matchAll(/^\| (\d+) × (\d+) \|(.*)\|$/gm)].map(([, tasks, trials, cells = ""]) => ({
    tasks: Number(tasks),
    trials: Number(trials),
    values: cells.split("|").map((cell) => {
      const value = Number.parseFloat(cell);
      return Number.isNaN(value) ? undefined : value;
    }),
  }));
}

interface Plot {
  readonly title: string;
  readonly under: string;
  readonly ticks: readonly number[];
  readonly heights: readonly number[];
  readonly limit?: { readonly at: number; readonly label: string };
  readonly lines: readonly {
    readonly label: string;
    readonly points: readonly (readonly [number, number])[];
  }[];
}

const [width, height, left, right, top, bottom] = [640, 320, 44, 100, 44, 44];

/** Ticks stand at equal distances, whatever their values. */
function plot({ title, under, ticks, heights, limit, lines }: Plot): string {
  const x = (value: number) =>
    round(left + (ticks.indexOf(value) * (width - left - right)) / (ticks.length - 1));
  const most = heights.at(-1) ?? 1;
  const y = (value: number) => round(height - bottom - (value * (height - top - bottom)) / most);
  const labels = spread(lines.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    `<text x="0" y="18">${title}</text>`,
    ...heights.flatMap((value) => [
      `<path class="grid" d="M${left} ${y(value)}H${width - right}"/>`,
      `<text class="small end" x="${left - 8}" y="${y(value) + 4}">${value}</text>`,
    ]),
    ...ticks.map(
      (value) => `<text class="small middle" x="${x(value)}" y="${height - bottom + 20}">${value}</text>`,
    ),
    `<text class="small middle" x="${(left + width - right) / 2}" y="${height - 6}">${under}</text>`,
    ...(limit === undefined
      ? []
      : [
          `<path class="limit" d="M${left} ${y(limit.at)}H${width - right}"/>`,
          `<text class="small" x="${left + 6}" y="${y(limit.at) - 6}">${limit.label}</text>`,
        ]),
    ...lines.flatMap(({ label, points }, at) => [
      `<path class="line c${at}" d="M${points.map(([tick, value]) => `${x(tick)} ${y(value)}`).join("L")}"/>`,
      ...points.map(([tick, value]) => `<circle class="dot c${at}" cx="${x(tick)}" cy="${y(value)}" r="3"/>`),
      `<text class="small t${at}" x="${width - right + 10}" y="${round((labels[at] ?? 0) + 4)}">${label}</text>`,
    ]),
    "</svg>",
  ].join("\n")}\n`;
}

const round = (value: number): number => Math.round(10 * value) / 10;

/** Labels at least a line apart, from the lowest on the screen upwards. */
function spread(places: readonly number[]): readonly number[] {
  const order = places.map((_, at) => at).toSorted((one, other) => (places[other] ?? 0) - (places[one] ?? 0));
  const found = [...places];
  let below = Number.POSITIVE_INFINITY;
  for (const at of order) {
    below = Math.min(found[at] ?? 0, below - 15);
    found[at] = below;
  }
  return found;
}

const colours: readonly (readonly [string, string])[] = [
  ["#2563eb", "#60a5fa"],
  ["#b45309", "#fbbf24"],
  ["#047857", "#34d399"],
  ["#7e22ce", "#c084fc"],
  ["#be123c", "#fb7185"],
];
const paint = (which: 0 | 1): string =>
  colours.map((pair, at) => `.c${at}{stroke:${pair[which]}}.t${at}{fill:${pair[which]}}`).join("");
const style = [
  "text{font:14px system-ui,sans-serif;fill:#1f2937}.small{font-size:12px;fill:#6b7280}",
  ".middle{text-anchor:middle}.end{text-anchor:end}.grid{stroke:#e5e7eb}.limit{stroke:#6b7280;stroke-dasharray:5 4}",
  ".line{fill:none;stroke-width:2}.dot{fill:#fff;stroke-width:2}",
  paint(0),
  "@media (prefers-color-scheme:dark){text{fill:#e5e7eb}.small{fill:#9ca3af}.grid{stroke:#374151}.limit{stroke:#9ca3af}.dot{fill:#1b1b1f}",
  `${paint(1)}}`,
].join("");
