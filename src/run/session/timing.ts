import type { RunEvent } from "../../core/events.ts";
import type { Stage } from "../../core/place.ts";

export interface Timing {
  add(event: RunEvent): void;
  /** The text of `timing.json`, which differs between executions of the same run. */
  text(): string;
}

export function createTiming(): Timing {
  const stages = new Map<Stage, { ms: number; times: number }>();
  const calls = { bought: 0, fromJournal: 0, retried: 0, pending: 0 };
  let [first, last] = [0, 0];
  return {
    add(event) {
      first ||= event.at;
      last = event.at;
      if (event.type === "stage-end") {
        const { ms, times } = stages.get(event.stage) ?? { ms: 0, times: 0 };
        stages.set(event.stage, { ms: ms + event.ms, times: times + 1 });
      } else if (event.type === "unit-pending") {
        calls.pending += 1;
      } else if (event.type === "unit-end") {
        if (event.from === "journal") calls.fromJournal += 1;
        else if (event.from === "provider") calls.bought += 1;
        if (event.tries > 1) calls.retried += 1;
      }
    },
    text: () =>
      `${JSON.stringify(
        {
          startedAt: new Date(first).toISOString(),
          ms: last - first,
          calls,
          stages: Object.fromEntries(stages),
        },
        null,
        2,
      )}\n`,
  };
}
