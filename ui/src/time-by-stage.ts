import type { StageSpan } from "../../src/report/model.ts";

export interface StageTime {
  readonly stage: StageSpan["stage"];
  readonly ms: number;
  readonly spans: number;
  /** The total number of results. */
  readonly total: number;
  /** It ran in parallel with other stages, so it didn't add to the run's time. */
  readonly isBackground: boolean;
}

/** The total time of each stage, longest first. */
export function timeByStage(timeline: readonly StageSpan[]): readonly StageTime[] {
  return [...Map.groupBy(timeline, ({ stage }) => stage)]
    .map(([stage, spans]) => {
      const ms = spans.reduce((sum, { from, to }) => sum + to - from, 0);
      const total = spans.reduce((sum, span) => sum + span.total, 0);
      return {
        stage,
        ms,
        spans: spans.length,
        total,
        isBackground: spans.some((span) => holdsOthers(span, timeline)),
      };
    })
    .toSorted((a, b) => b.ms - a.ms);
}

const holdsOthers = (span: StageSpan, timeline: readonly StageSpan[]): boolean =>
  timeline.some(
    ({ stage, from, to }) => stage !== span.stage && to > from && span.from < from && to < span.to,
  );
