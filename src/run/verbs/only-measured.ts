import type { Resolved } from "../../config/resolve/resolved.ts";
import type { TaskPart } from "../../core/measure/compare-skills.ts";

/** For a run without a search: only the measured tasks and the target belong to its identity. */
export const onlyMeasured = (given: Resolved, parts: readonly TaskPart[]): Resolved => ({
  ...given,
  models: { ...given.models, optimizer: given.models.target },
  splits: {
    train: [],
    val: [],
    test: [],
    ...Object.fromEntries(parts.map(({ split, tasks }) => [split, tasks])),
  },
});
