import type { Estimate } from "../../../src/report/model.ts";
import { points } from "../format.ts";

const width = 96;

/** A gain with its interval, drawn around zero; half of the width covers `span`. */
export function Range({ estimate, span }: { readonly estimate: Estimate; readonly span: number }) {
  const { value, low, high } = estimate;
  const x = (at: number) => width / 2 + (Math.max(-span, Math.min(span, at)) / span) * (width / 2 - 4);
  const tone = low > 0 ? "good" : high < 0 ? "bad" : "even";
  return (
    <span class="range">
      <svg width={width} height="16" viewBox={`0 0 ${width} 16`} class={tone} aria-hidden="true">
        <line x1="0" x2={width} y1="8" y2="8" class="axis" />
        <line x1={width / 2} x2={width / 2} y1="1" y2="15" class="zero" />
        <line x1={x(low)} x2={x(high)} y1="8" y2="8" class="interval" />
        <circle cx={x(value)} cy="8" r="3.5" />
      </svg>
      <span class="number">
        <strong>{points(value)}</strong>{" "}
        <span class="soft">
          {points(low)} to {points(high)}
        </span>
      </span>
    </span>
  );
}
