import type { StageSpan } from "../../src/report/model.ts";

export interface StageTime {
  readonly stage: StageSpan["stage"];
  readonly ms: number;
  readonly spans: number;
  /** Results in all. */
  readonly total: number;
  /** It went on beside other stages, so its time was not waited for. */
  readonly isBackground: boolean;
}

/** How long each stage took in all, the longest first. */
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
