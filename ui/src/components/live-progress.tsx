import type { LiveReport } from "../../../src/report/model.ts";
import { duration } from "../format.ts";
import "./live-progress.css";

/** How a run goes on: what it does, how fast, how long still, and what is used of its caps. */
export function LiveProgress({ live }: { readonly live: LiveReport }) {
  const { stages, troubles, leftMs, elapsedMs, silentMs, perMinute, caps } = live;
  const share = leftMs === undefined ? 0 : elapsedMs / Math.max(elapsedMs + leftMs, 1);
  const doing = [...stages.map(({ word, text }) => `${word} ${text}`), ...troubles].join(", ");
  return (
    <div class="live">
      <p role="status">
        {leftMs === undefined ? "How long it takes is not known" : `About ${duration(leftMs)} left`}
        {doing === "" ? "." : `: ${doing}.`}
      </p>
      <progress value={share} max={1} aria-label="Share of its time" />
      <dl class="facts">
        <div>
          <dt>Pace</dt>
          <dd>{perMinute === undefined ? "no result yet" : `${rateText(perMinute)} results a minute`}</dd>
        </div>
        <div>
          <dt>Last news</dt>
          <dd>{silentMs < 2000 ? "just now" : `${duration(silentMs)} ago`}</dd>
        </div>
        {caps.map(({ name, share: used, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <meter value={Math.min(used, 1)} high={0.9} aria-label={text} /> {text}
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft">This page follows the run by itself.</p>
    </div>
  );
}

const rateText = (perMinute: number): string =>
  perMinute >= 10 ? String(Math.round(perMinute)) : perMinute.toFixed(1);
