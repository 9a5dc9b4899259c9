import type { StepAction } from "../core/step-record.ts";
import { stepWords } from "../core/verdict-words.ts";
import { type Stage, stageOrder } from "../core/place.ts";
import type { Role } from "../core/ports/model.ts";
import { formatUsd } from "../core/work/spend.ts";
import type { Estimate, RunReport, StepPoint } from "./model.ts";
import { valCurve } from "./val-curve.ts";

export type ChartTheme = "light" | "dark";

/** A plain ECharts option: JSON, no functions, so that the page, the standalone file and Node draw the same. */
export type ChartOption = Readonly<Record<string, unknown>>;

/** The score over steps on val, every candidate with its interval; beside it the sealed test, another set of tasks. */
export function scoreChart(
  report: RunReport,
  theme: ChartTheme,
  { narrow = false }: { readonly narrow?: boolean } = {},
): ChartOption {
  const colors = palette[theme];
  const { baseline, steps, sealed, overview } = report;
  const measured = steps.filter(({ candidate }) => candidate !== undefined);
  const sealedArms = sealed === undefined ? [] : armsOf(sealed);
  const estimates = [
    ...(baseline === undefined ? [] : [baseline]),
    ...measured.flatMap(({ candidate }) => (candidate === undefined ? [] : [candidate])),
    ...sealedArms.map(({ estimate }) => estimate),
  ];
  const standing = standingOf(report);
  const scale = scaleOf([
    ...estimates.flatMap(({ low, high }) => [low, high]),
    ...standing.map(([, y]) => y),
  ]);
  const last = Math.max(overview.steps, ...steps.map(({ step }) => step), 1);
  const hasSealed = sealedArms.length > 0;
  // at phone width the legend takes two lines
  const [top, beside] = narrow ? [58, 96] : [34, 156];
  const of = (kind: Kind) => measured.filter(({ action }) => kindOf[action] === kind);
  return {
    ...frame(theme),
    legend: {
      ...legend(theme),
      data: [
        ...(baseline === undefined ? [] : ["original"]),
        "current skill",
        ...kinds.filter((kind) => of(kind).length > 0).map((kind) => stepWords[kind].word),
      ],
    },
    grid: [
      { left: 52, top, bottom: 40, right: hasSealed ? beside + 34 : 16 },
      ...(hasSealed ? [{ width: beside, right: 16, top, bottom: 40 }] : []),
    ],
    xAxis: [
      {
        ...axis(theme),
        type: "value",
        name: "step (scores on val)",
        min: 0,
        max: last + 0.5,
        interval: stepInterval(last, narrow),
        splitLine: { show: false },
        axisLabel: { color: colors.soft, showMaxLabel: false },
      },
      ...(hasSealed
        ? [
            {
              ...axis(theme),
              type: "category",
              gridIndex: 1,
              name: "sealed test",
              data: sealedArms.map(({ name }) => name),
              axisLabel: { color: colors.soft, interval: 0 },
            },
          ]
        : []),
    ],
    yAxis: [
      { ...axis(theme), type: "value", ...scale, axisLabel: { color: colors.soft, formatter: "{value} %" } },
      ...(hasSealed
        ? [{ ...axis(theme), type: "value", gridIndex: 1, ...scale, axisLabel: { show: false } }]
        : []),
    ],
    series: [
      {
        name: "current skill",
        type: "line",
        step: "end",
        symbol: "none",
        color: colors.blue,
        lineStyle: { width: 2 },
        // the last score is held for a while, so that one sees it
        data: [...standing, ...standing.slice(-1).map(([x, y]) => [x + 0.5, y] as const)].map(([x, y]) => [
          x,
          rounded(y),
        ]),
        tooltip: { show: false },
      },
      ...kinds.flatMap((kind) => candidateSeries(kind, of(kind), theme)),
      ...(baseline === undefined
        ? []
        : [
            interval([[0, baseline]], colors.text),
            {
              name: "original",
              type: "scatter",
              symbol: "rect",
              symbolSize: 9,
              color: colors.text,
              data: [{ value: [0, rounded(baseline.value)], name: `original on val: ${spell(baseline)}` }],
            },
          ]),
      ...(hasSealed ? sealedSeries(sealedArms, theme) : []),
    ],
  };
}

/** Where the money went, or the tokens where nothing has a price: one bar per stage, cut by role. */
export function costChart({ costs }: Pick<RunReport, "costs">, theme: ChartTheme): ChartOption {
  const isFree = costs.every(({ cost }) => cost.nanoUsd === 0);
  const stages = stageOrder.filter((stage) => costs.some((one) => one.stage === stage)).toReversed();
  const roles = roleOrder.filter((role) => costs.some((one) => one.role === role));
  const amount = (role: Role, stage: Stage): number =>
    costs
      .filter((one) => one.role === role && one.stage === stage)
      .reduce((sum, { cost }) => sum + (isFree ? cost.tokens : cost.nanoUsd / 1e9), 0);
  return {
    ...frame(theme),
    legend: { ...legend(theme), data: roles },
    grid: { left: 82, right: 24, top: 34, bottom: 40 },
    xAxis: {
      ...axis(theme),
      type: "value",
      name: isFree ? "tokens" : "US dollars",
      splitNumber: 3,
      axisLabel: { color: palette[theme].soft, hideOverlap: true },
    },
    yAxis: { ...axis(theme), type: "category", data: stages },
    series: roles.map((role) => ({
      name: role,
      type: "bar",
      stack: "cost",
      barMaxWidth: 18,
      color: palette[theme][roleColors[role] ?? "soft"],
      data: stages.map((stage) => {
        const value = amount(role, stage);
        const shown = isFree ? `${value.toLocaleString("en")} tokens` : formatUsd(value * 1e9);
        return { value, name: `${stage}, ${role}: ${shown}` };
      }),
    })),
  };
}

/** When each stage was at work: where the time went. */
export function timelineChart({ timeline }: Pick<RunReport, "timeline">, theme: ChartTheme): ChartOption {
  const end = Math.max(...timeline.map(({ to }) => to), 1);
  const stages = stageOrder.filter((stage) => timeline.some((span) => span.stage === stage)).toReversed();
  const inMinutes = end > 180_000;
  const unit = inMinutes ? 60_000 : 1000;
  // a span of a few milliseconds must still be seen
  const shortest = end / 400;
  return {
    ...frame(theme),
    grid: { left: 82, right: 24, top: 12, bottom: 40 },
    xAxis: {
      ...axis(theme),
      type: "value",
      name: inMinutes ? "minutes of work" : "seconds of work",
      min: 0,
      max: (end + shortest) / unit,
      axisLabel: { color: palette[theme].soft, showMaxLabel: false },
    },
    yAxis: { ...axis(theme), type: "category", data: stages },
    series: stages.map((stage) => ({
      name: stage,
      type: "line",
      symbol: "none",
      silent: true,
      color: palette[theme][stageColors[stage] ?? "blue"],
      lineStyle: { width: 12, cap: "butt" },
      data: timeline
        .filter((span) => span.stage === stage)
        .flatMap(({ from, to }) => [
          [from / unit, stage],
          [Math.max(to, from + shortest) / unit, stage],
          [null, null],
        ]),
    })),
  };
}

const bothHues = { green: "#009e73", orange: "#e69f00", vermillion: "#d55e00", purple: "#cc79a7" };

/** Okabe–Ito, with a lighter blue on dark ground. */
const palette = {
  light: {
    text: "#1b1f24",
    soft: "#57606a",
    line: "#dde1e6",
    ground: "#ffffff",
    blue: "#0072b2",
    sky: "#56b4e9",
    ...bothHues,
  },
  dark: {
    text: "#e4e7eb",
    soft: "#9fa8b3",
    line: "#333a44",
    ground: "#1c2027",
    blue: "#56b4e9",
    sky: "#0072b2",
    ...bothHues,
  },
} as const;

type Color = keyof (typeof palette)["light"];
type Kind = "accept" | "reject" | "undecided";

const kinds: readonly Kind[] = ["accept", "reject", "undecided"];
const kindOf: Readonly<Record<StepAction, Kind | undefined>> = {
  accept_new_best: "accept",
  accept: "accept",
  reject: "reject",
  return_to_original: "reject",
  undecided: "undecided",
  skip: undefined,
};
/** Shape and colour both tell them apart. */
const kindMarks: Readonly<
  Record<Kind, { readonly symbol: string; readonly size: number; readonly color: Color }>
> = {
  accept: { symbol: "circle", size: 11, color: "green" },
  reject: { symbol: "path://M0 0L10 10M10 0L0 10", size: 9, color: "vermillion" },
  undecided: { symbol: "triangle", size: 11, color: "orange" },
};

const stageColors: Readonly<Partial<Record<Stage, Color>>> = {
  baseline: "soft",
  rollout: "sky",
  reflect: "orange",
  aggregate: "orange",
  select: "orange",
  update: "orange",
  evaluate: "blue",
  epoch: "purple",
  regression: "vermillion",
  test: "green",
};
const roleOrder: readonly Role[] = ["target", "optimizer", "judge", "miner"];
const roleColors: Readonly<Partial<Record<string, Color>>> = {
  target: "blue",
  optimizer: "orange",
  judge: "purple",
  miner: "green",
};

function candidateSeries(kind: Kind, steps: readonly StepPoint[], theme: ChartTheme): readonly ChartOption[] {
  if (steps.length === 0) return [];
  const { symbol, size, color } = kindMarks[kind];
  const hue = palette[theme][color];
  return [
    interval(
      steps.flatMap(({ step, candidate }) => (candidate === undefined ? [] : [[step, candidate] as const])),
      hue,
    ),
    {
      name: stepWords[kind].word,
      type: "scatter",
      symbol,
      symbolSize: size,
      color: hue,
      itemStyle: kind === "reject" ? { borderColor: hue, borderWidth: 2.5 } : {},
      data: steps.flatMap(({ step, candidate }) =>
        candidate === undefined
          ? []
          : [
              {
                value: [step, rounded(candidate.value)],
                step,
                name: `step ${step}, ${stepWords[kind].word}: ${spell(candidate)}`,
              },
            ],
      ),
    },
  ];
}

function sealedSeries(
  arms: readonly { readonly name: string; readonly estimate: Estimate }[],
  theme: ChartTheme,
): readonly ChartOption[] {
  const colors = palette[theme];
  const place = { xAxisIndex: 1, yAxisIndex: 1 };
  return [
    {
      ...interval(
        arms.map(({ name, estimate }) => [name, estimate] as const),
        colors.purple,
      ),
      ...place,
    },
    {
      ...place,
      name: "sealed test",
      type: "scatter",
      symbol: "diamond",
      symbolSize: 13,
      color: colors.purple,
      label: { show: true, color: colors.text, formatter: "{@[1]} %" },
      data: arms.map(({ name, estimate }, at) => ({
        value: [name, rounded(estimate.value)],
        // towards the middle, where there is room
        label: { position: at === 0 ? "right" : "left" },
        name: `${name} on the sealed test: ${spell(estimate)}`,
      })),
    },
  ];
}

/** Upright lines from the low to the high end of estimates. */
function interval(estimates: readonly (readonly [number | string, Estimate])[], color: string): ChartOption {
  return {
    type: "line",
    symbol: "none",
    silent: true,
    color,
    lineStyle: { width: 1.5, opacity: 0.75 },
    tooltip: { show: false },
    data: estimates.flatMap(([x, { low, high }]) => [
      [x, rounded(low)],
      [x, rounded(high)],
      [null, null],
    ]),
  };
}

const armsOf = ({ original, best }: NonNullable<RunReport["sealed"]>) => [
  { name: "original", estimate: original },
  ...(best === undefined ? [] : [{ name: "best", estimate: best }]),
];

/** The current skill's score after each step, from the original on. */
const standingOf = ({ baseline, steps, end, overview }: RunReport): readonly (readonly [number, number])[] =>
  valCurve({ baseline: baseline?.value, steps, end, tasks: overview.tasks.val }).map(
    ({ step, estimate }) => [step, estimate.value] as const,
  );

/** Every step has its number as long as there is room for it; then every second, fifth, tenth … */
function stepInterval(last: number, narrow: boolean): number {
  const least = last / (narrow ? 8 : 16);
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(least)) - 1);
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) ?? 10 * power;
}

/** Tens around what is shown, never beyond 0 to 100. */
function scaleOf(values: readonly number[]): Scale {
  if (values.length === 0) return { min: 0, max: 100, interval: 20 };
  const [low, high] = [100 * Math.min(...values), 100 * Math.max(...values)];
  const interval = high - low > 40 ? 20 : 10;
  const min = Math.max(0, Math.floor((low - 3) / interval) * interval);
  const max = Math.min(100, Math.ceil((high + 3) / interval) * interval);
  if (max > min) return { min, max, interval };
  return { min: Math.max(0, min - interval), max: Math.min(100, max + interval), interval };
}

interface Scale {
  readonly min: number;
  readonly max: number;
  readonly interval: number;
}

/** Percent to a tenth. */
const rounded = (score: number): number => Math.round(score * 1000) / 10;
const spell = ({ value, low, high, tasks }: Estimate): string =>
  `${rounded(value).toFixed(1)} % (${rounded(low).toFixed(1)} to ${rounded(high).toFixed(1)}, ${tasks} tasks)`;

function frame(theme: ChartTheme): ChartOption {
  const colors = palette[theme];
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: "system-ui, sans-serif", color: colors.text },
    tooltip: {
      trigger: "item",
      formatter: "{b}",
      confine: true,
      backgroundColor: colors.ground,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 12 },
    },
  };
}

const legend = (theme: ChartTheme): ChartOption => ({
  top: 0,
  left: 0,
  itemHeight: 10,
  itemWidth: 16,
  textStyle: { color: palette[theme].text },
  inactiveColor: palette[theme].soft,
});

const axis = (theme: ChartTheme): ChartOption => ({
  nameLocation: "middle",
  nameGap: 24,
  nameTextStyle: { color: palette[theme].soft },
  axisLabel: { color: palette[theme].soft },
  axisLine: { show: true, lineStyle: { color: palette[theme].line } },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: palette[theme].line, opacity: 0.6 } },
});
