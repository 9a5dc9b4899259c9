import type { TaskEvidence } from "../../src/index.ts";

/** Tasks of three tosses that all came to this, with the wording and without it. */
export const taskEvidence = (
  count: number,
  after: number,
  before: number,
  more: Partial<TaskEvidence> = {},
): readonly TaskEvidence[] =>
  Array.from({ length: count }, (_, at) => ({
    task: `t${at + 1}`,
    night: "0001",
    isOwn: true,
    tosses: Array.from({ length: 3 }, (__, nth) =>
      nth % 2 === 0
        ? { on: true, chance: 0.5, score: after, other: before }
        : { on: false, chance: 0.5, score: before, other: after },
    ),
    ...more,
  }));
