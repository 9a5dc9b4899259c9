import type { RunOverview } from "./model.ts";

/** What the last comparison of a run is called: tasks that nobody kept apart are no test. */
export const finalName = ({ command, tasks }: Pick<RunOverview, "command" | "tasks">): string =>
  command === "compare" ? "comparison" : tasks.test === 0 ? "final comparison" : "sealed test";
