import { finalName } from "../../../src/report/final-name.ts";
import type { ComponentChildren } from "preact";
import type { StepAction } from "../../../src/core/step-record.ts";
import { stepWords } from "../../../src/core/verdict-words.ts";
import type { Estimate, RunReport } from "../../../src/report/model.ts";
import { valCurve } from "../../../src/report/val-curve.ts";
import { percent, plural } from "../format.ts";
import type { Mark } from "../rollout-marks.ts";
import { linkTo } from "../router.ts";
import { useNarrow } from "../use-media.ts";
import { MarkSign } from "./marks.tsx";
import { type ScoreScale, scoreScale, stepTicks } from "./score-scale.ts";
import "./score-chart.css";

/** The val score over steps, with each candidate's interval; next to it the final comparison, on other tasks if there were enough. */
export function ScoreChart({ report }: { readonly report: RunReport }) {
  const { baseline, steps, sealed, end, overview } = report;
  const isNarrow = useNarrow();
  const arms = [
    { name: "original", estimate: sealed?.original },
    { name: "best", estimate: sealed?.best },
  ].flatMap(({ name, estimate }) => (estimate === undefined ? [] : [{ name, estimate }]));
  const candidates = steps.flatMap(({ step, action, candidate }) => {
    const kind = kindOf[action];
    return candidate === undefined || kind === undefined ? [] : [{ step, kind, estimate: candidate }];
  });
  const curve = valCurve({ baseline: baseline?.value, steps, end, tasks: overview.tasks.val }).map(
    ({ step, estimate }) => ({ step, value: estimate.value }),
  );
  const estimates = [...(baseline === undefined ? [] : [baseline]), ...candidates.map(estimateOf)];
  const scale = scoreScale([
    ...[...estimates, ...arms.map(estimateOf)].flatMap(({ low, high }) => [low, high]),
    ...curve.map(({ value }) => value),
  ]);
  const last = Math.max(overview.steps, ...steps.map(({ step }) => step), 1);
  const x = (step: number): number => Math.min((100 * step) / (last + 0.5), 100);
  return (
    <>
      <ul class="legend">
        {baseline !== undefined && (
          <li>
            <span class="original-key" /> original
          </li>
        )}
        <li>
          <span class="curve-key" /> current skill
        </li>
        {kinds
          .filter((kind) => candidates.some((one) => one.kind === kind))
          .map((kind) => (
            <li key={kind}>
              <MarkSign mark={kindMarks[kind]} /> {stepWords[kind].word}
            </li>
          ))}
      </ul>
      <div class="score-plots">
        <Plot
          name="step (scores on val)"
          scale={scale}
          ticks={stepTicks(last, isNarrow ? 8 : 16).map((step) => ({ x: x(step), text: String(step) }))}
        >
          {curve.map(({ step, value }, at) => {
            // draw the last score a bit longer, so that it shows
            const { step: until, value: next } = curve[at + 1] ?? { step: step + 0.5, value };
            return (
              <g key={step} class="curve">
                <Line scale={scale} x={[x(step), x(until)]} scores={[value, value]} />
                <Line scale={scale} x={[x(until), x(until)]} scores={[value, next]} />
              </g>
            );
          })}
          {baseline !== undefined && (
            <Point scale={scale} x={0} estimate={baseline} name="original on val" tone="original">
              <path d="M-4.5-4.5h9v9h-9z" />
            </Point>
          )}
          {candidates.map(({ step, kind, estimate }) => (
            <a key={step} href={linkTo({ page: "step", run: overview.id, step })} tabIndex={-1}>
              <Point
                scale={scale}
                x={x(step)}
                estimate={estimate}
                name={`step ${step}, ${stepWords[kind].word}`}
                tone={kindMarks[kind]}
              >
                <g transform="translate(-5.5 -5.5)">
                  <MarkSign mark={kindMarks[kind]} />
                </g>
              </Point>
            </a>
          ))}
        </Plot>
        {arms.length > 0 && (
          <Plot
            name={finalName(overview)}
            scale={scale}
            ticks={arms.map(({ name }, at) => ({ x: armPlace(at), text: name }))}
          >
            {arms.map(({ name, estimate }, at) => (
              <Point
                key={name}
                scale={scale}
                x={armPlace(at)}
                estimate={estimate}
                name={`${name}, ${finalName(overview)}`}
                tone="sealed"
              >
                <path d="M0-7l7 7-7 7-7-7z" />
                {/* towards the middle, where there is room */}
                <text x={at === 0 ? 12 : -12} y={4} text-anchor={at === 0 ? "start" : "end"}>
                  {percent(estimate.value)}
                </text>
              </Point>
            ))}
          </Plot>
        )}
      </div>
    </>
  );
}

const estimateOf = ({ estimate }: { readonly estimate: Estimate }): Estimate => estimate;
const armPlace = (at: number): number => (at === 0 ? 20 : 80);

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
/** They differ in both shape and colour. */
const kindMarks: Readonly<Record<Kind, Mark>> = { accept: "pass", reject: "fail", undecided: "part" };

const placeOf = ({ min, max }: ScoreScale, score: number): string =>
  `${(100 * (max - 100 * score)) / (max - min)}%`;

function Plot({
  name,
  scale,
  ticks,
  children,
}: {
  readonly name: string;
  readonly scale: ScoreScale;
  /** Positions in percent of the width. */
  readonly ticks: readonly { readonly x: number; readonly text: string }[];
  readonly children: ComponentChildren;
}) {
  return (
    <svg class="score-plot">
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <Line scale={scale} x={[0, 100]} scores={[tick / 100, tick / 100]} />
          <text class="tick" x={-8} dy={4} y={placeOf(scale, tick / 100)} text-anchor="end">
            {tick}%
          </text>
        </g>
      ))}
      {ticks.map(({ x, text }) => (
        <text key={text} class="tick" x={`${x}%`} y="100%" dy={18} text-anchor="middle">
          {text}
        </text>
      ))}
      <text class="tick" x="50%" y="100%" dy={36} text-anchor="middle">
        {name}
      </text>
      {children}
    </svg>
  );
}

const Line = ({
  scale,
  x: [from, to],
  scores: [one, other],
}: {
  readonly scale: ScoreScale;
  readonly x: readonly [number, number];
  readonly scores: readonly [number, number];
}) => <line x1={`${from}%`} x2={`${to}%`} y1={placeOf(scale, one)} y2={placeOf(scale, other)} />;

/** An estimate with its interval, and all of it in words on hover. */
function Point({
  scale,
  x,
  estimate,
  name,
  tone,
  children,
}: {
  readonly scale: ScoreScale;
  readonly x: number;
  readonly estimate: Estimate;
  readonly name: string;
  readonly tone: Mark | "original" | "sealed";
  readonly children: ComponentChildren;
}) {
  const { value, low, high, tasks } = estimate;
  return (
    <g class={`point ${tone}`}>
      <title>
        {name}: {percent(value)} ({percent(low)} to {percent(high)}, {plural(tasks, "task")})
      </title>
      <Line scale={scale} x={[x, x]} scores={[low, high]} />
      <svg x={`${x}%`} y={placeOf(scale, value)}>
        {children}
      </svg>
    </g>
  );
}
