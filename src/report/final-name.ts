import type { RunOverview } from "./model.ts";

/** The name of a run's last comparison: without a separate test split it isn't a test. */
export const finalName = ({ command, tasks }: Pick<RunOverview, "command" | "tasks">): string =>
  command === "compare" ? "comparison" : tasks.test === 0 ? "final comparison" : "sealed test";
