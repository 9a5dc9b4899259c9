import type { LiveReport } from "../../../src/report/model.ts";
import { duration } from "../format.ts";
import "./live-progress.css";

/** A run's progress: current work, pace, time left, and how much of its caps is used. */
export function LiveProgress({ live }: { readonly live: LiveReport }) {
  const { stages, troubles, leftMs, elapsedMs, silentMs, perMinute, caps } = live;
  const share = leftMs === undefined ? 0 : elapsedMs / Math.max(elapsedMs + leftMs, 1);
  const doing = [...stages.map(({ word, text }) => `${word} ${text}`), ...troubles].join(", ");
  return (
    <div class="live">
      <p role="status">
        {leftMs === undefined ? "Time left: not known yet" : `About ${duration(leftMs)} left`}
        {doing === "" ? "." : `: ${doing}.`}
      </p>
      <progress value={share} max={1} aria-label="Share of time elapsed" />
      <dl class="facts">
        <div>
          <dt>Pace</dt>
          <dd>{perMinute === undefined ? "no results yet" : `${rateText(perMinute)} results a minute`}</dd>
        </div>
        <div>
          <dt>Last update</dt>
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
      <p class="soft">This page updates by itself.</p>
    </div>
  );
}

const rateText = (perMinute: number): string =>
  perMinute >= 10 ? String(Math.round(perMinute)) : perMinute.toFixed(1);
