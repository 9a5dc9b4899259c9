import type { StepAction, StepRecord } from "../step-record.ts";
import type { Context } from "../context.ts";
import { scoutAhead } from "./scout-ahead.ts";
import { nothingToGain } from "./nothing-to-gain.ts";
import type { Standing } from "./standing.ts";
import { type StepOutcome, recordStep } from "./train-step.ts";
import { type Course, isOver, nextBatch, startOf, takeTurn } from "./turn.ts";

export interface SearchInput extends Course {
  readonly start: Standing;
  readonly onStep: (record: StepOutcome) => Promise<void>;
}

export interface SearchResult {
  readonly standing: Standing;
  readonly steps: readonly StepRecord[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** Why the search ended before its last step. */
  readonly ended?: string;
}

export interface EpochSummary {
  readonly epoch: number;
  readonly action: StepAction;
  readonly reason: string;
}

/** The loop: for each batch of each epoch, six stages; what passes the gate becomes the incumbent. */
export async function search(input: SearchInput, context: Context): Promise<SearchResult> {
  const steps: StepRecord[] = [];
  const epochs: EpochSummary[] = [];
  const scout = context.speculation === undefined ? undefined : scoutAhead(input, context);
  let progress = startOf(input.original, input.start);
  try {
    while (!isOver(progress, input)) {
      const ended = nextBatch(progress, input) && nothingToGain(progress.standing);
      if (ended !== undefined) return { standing: progress.standing, steps, epochs, ended };
      scout?.begin(progress);
      const turn = await takeTurn(progress, input, context, scout?.fork);
      progress = turn.progress;
      scout?.settle(progress);
      if (turn.kind === "step") {
        steps.push(recordStep(turn.record));
        await input.onStep(turn.record);
      } else if (turn.decision !== undefined) {
        const { action, reason } = turn.decision;
        epochs.push({ epoch: progress.epochs, action, reason });
      }
    }
    return { standing: progress.standing, steps, epochs };
  } finally {
    scout?.close();
  }
}
