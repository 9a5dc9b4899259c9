import type { ComponentChildren } from "preact";
import type { MeasuredRule } from "../../../src/core/rules/rule-table.ts";
import { type ForestScale, forestScale } from "./forest-scale.ts";
import "./rule-forest.css";

/** One row; points are out of 100. */
export interface ForestRule extends Pick<MeasuredRule, "rule" | "points" | "low" | "high"> {
  /** The points as a person reads them: `+5.6`. */
  readonly worth: string;
  readonly words: ComponentChildren;
  /** False if it wasn't measured. */
  readonly isMeasured?: boolean;
  readonly isOut?: boolean;
  /** More figures after the worth. */
  readonly figures?: readonly string[];
  readonly badge?: ComponentChildren;
  /** Opens below the row. */
  readonly more?: ComponentChildren;
}

interface Props {
  readonly label: string;
  readonly rules: readonly ForestRule[];
  /** Shared by several lists. @default fits these rules */
  readonly scale?: ForestScale;
}

/** Rules with the worth of each, drawn one below the other around zero. */
export function RuleForest({ label, rules, scale = forestScale(rules) }: Props) {
  return (
    <ol class="forest" aria-label={label}>
      <Axis scale={scale} />
      {rules.map((rule) => (
        <li key={rule.rule}>
          <Words rule={rule} />
          {rule.isMeasured === false ? <span /> : <Interval rule={rule} scale={scale} />}
          <span class="worth">
            {rule.isMeasured === false ? (
              <span class="soft unmeasured">not measured</span>
            ) : (
              <strong title="points on val">{rule.worth}</strong>
            )}
            {rule.figures?.map((figure) => (
              <span key={figure} class="soft">
                {figure}
              </span>
            ))}
          </span>
          {rule.more !== undefined && (
            <details>
              <summary>More</summary>
              {rule.more}
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

const Words = ({ rule: { rule, words, isOut, badge } }: { readonly rule: ForestRule }) => (
  <span class="words">
    <span class="rule-number">{rule}</span>
    <span class={isOut === true ? "out" : ""}>
      {badge} {words}
    </span>
  </span>
);

const [width, height, edge] = [240, 20, 8];

const placeIn =
  ({ low, high }: ForestScale) =>
  (points: number): number =>
    edge + ((points - low) / (high - low)) * (width - 2 * edge);

function Axis({ scale }: { readonly scale: ForestScale }) {
  const x = placeIn(scale);
  return (
    <li class="axis" aria-hidden="true">
      <svg viewBox={`0 0 ${width} ${height}`}>
        {scale.ticks.map((tick) => (
          <text key={tick} x={x(tick)} y={14}>
            {Number(tick.toFixed(2)).toString().replace("-", "−")}
          </text>
        ))}
      </svg>
    </li>
  );
}

function Interval({
  rule: { points, low, high },
  scale,
}: {
  readonly rule: ForestRule;
  readonly scale: ForestScale;
}) {
  const x = placeIn(scale);
  const tone = low > 0 ? "good" : high < 0 ? "bad" : "even";
  return (
    <svg viewBox={`0 0 ${width} ${height}`} class={tone} aria-hidden="true">
      {scale.ticks.map((tick) => (
        <line key={tick} x1={x(tick)} x2={x(tick)} y1="0" y2={height} class={tick === 0 ? "zero" : "tick"} />
      ))}
      <line x1={x(low)} x2={x(high)} y1={height / 2} y2={height / 2} class="interval" />
      <circle cx={x(points)} cy={height / 2} r="4.5" />
    </svg>
  );
}
