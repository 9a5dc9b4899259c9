import type { Context } from "../context.ts";
import type { Stage } from "../place.ts";

/** Reports when a stage begins and ends. */
export async function timed<T>(
  stage: Stage,
  step: number,
  total: number,
  run: () => Promise<T>,
  { clock, emit }: Context,
): Promise<T> {
  emit({ type: "stage-start", step, stage, total });
  const started = clock.now();
  const result = await run();
  emit({ type: "stage-end", step, stage, total, pending: 0, ms: clock.now() - started });
  return result;
}
