import type { SplitName } from "../core/tasks/task.ts";
import type { TriggerFigures, TriggerPair } from "../core/triggers/trigger-figures.ts";
import { estimateShare } from "../core/gate/estimate-score.ts";
import { percent } from "../core/measure/percent.ts";

/** Precision and recall by split, before and after, each with its counts. */
export function triggerLines(pairs: Readonly<Partial<Record<SplitName, TriggerPair>>>): readonly string[] {
  return Object.entries(pairs).map(([split, { before, after }]) => {
    const change = (show: (figures: TriggerFigures) => string) =>
      after === undefined ? show(before) : `${show(before)} → ${show(after)}`;
    return `${split}: precision ${change(precisionText)}, recall ${change(recallText)}`;
  });
}

const precisionText = ({ precision, both, triggered }: TriggerFigures): string =>
  precision === null ? "undefined (never loaded)" : shareText(precision, both, triggered);

const recallText = ({ recall, both, wanted }: TriggerFigures): string =>
  recall === null ? "undefined (never wanted)" : shareText(recall, both, wanted);

/** A share with its counts and interval. */
function shareText(share: number, count: number, of: number): string {
  const { low, high } = estimateShare(share, of);
  return `${percent(share)} (${count} of ${of}, ${percent(low)} to ${percent(high)})`;
}
