import type { RunEvent } from "../core/events.ts";
import type { Stage } from "../core/place.ts";
import type { StageSpan } from "./model.ts";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

/** When each stage of a run was active, on a clock that stops between executions. */
export interface Timeline {
  /** Begins another execution, after so many milliseconds of work. */
  begin(at: number, workedMs: number): void;
  start(event: EventOf<"stage-start">): void;
  /** A result was bought. */
  work(event: EventOf<"unit-end">): void;
  end(event: EventOf<"stage-end">): void;
  /** Ends the execution; open spans end with their last result. */
  stop(): void;
  spans(): readonly StageSpan[];
}

interface OpenSpan {
  readonly step: number;
  readonly stage: Stage;
  readonly total: number;
  readonly from: number;
  /** The time of the last result bought in it. */
  to: number;
}

export function createTimeline(): Timeline {
  const closed: StageSpan[] = [];
  /** By step and stage; two stages with the same name may run in parallel. */
  let open = new Map<string, OpenSpan[]>();
  let executions = 0;
  let [startedAt, workedBefore] = [0, 0];
  const clock = (at: number): number => Math.max(at - startedAt, 0) + workedBefore;
  const key = ({ step, stage }: { readonly step: number; readonly stage: Stage }) => `${step} ${stage}`;
  // if a later execution bought nothing in a stage, it only read that stage again
  const isReplay = ({ from, to }: OpenSpan): boolean => executions > 1 && to === from;

  function stop(): void {
    for (const spans of open.values())
      for (const span of spans) if (span.to > span.from) closed.push({ ...span, pending: 0 });
    open = new Map();
  }

  return {
    begin(at, workedMs) {
      stop();
      executions += 1;
      [startedAt, workedBefore] = [at, workedMs];
    },
    start(event) {
      const { step, stage, total, at } = event;
      const from = clock(at);
      const spans = open.get(key(event));
      const span = { step, stage, total, from, to: from };
      if (spans === undefined) open.set(key(event), [span]);
      else spans.push(span);
    },
    work(event) {
      const spans = open.get(key(event));
      if (spans === undefined) return;
      const now = clock(event.at);
      for (const span of spans) span.to = now;
    },
    end(event) {
      const { step, stage, total, pending, ms, at } = event;
      const to = clock(at);
      const from = Math.max(to - ms, workedBefore);
      const spans = open.get(key(event)) ?? [];
      // the span whose beginning fits best
      const [nearest] = spans.toSorted((a, b) => Math.abs(a.from - from) - Math.abs(b.from - from));
      if (nearest !== undefined) spans.splice(spans.indexOf(nearest), 1);
      if (nearest !== undefined && isReplay(nearest)) return;
      closed.push({ step, stage, from, to, total, pending });
    },
    stop,
    spans: () => [...closed, ...[...open.values()].flat().map((span) => ({ ...span, pending: 0 }))],
  };
}
