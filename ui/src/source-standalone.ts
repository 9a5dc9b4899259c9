import type { ReportSource, StandaloneData } from "../../src/report/model.ts";
import { ReportError } from "./report-error.ts";

/** The data embedded in the page, or nothing if the page came from a server. */
export function readStandaloneData(): StandaloneData | undefined {
  const data = readJson("whetstone-data") as Omit<StandaloneData, "steps" | "rollouts"> | undefined;
  if (data === undefined) return undefined;
  let steps: StandaloneData["steps"] | undefined;
  let rollouts: StandaloneData["rollouts"] | undefined;
  return {
    ...data,
    // most of the file, so it's parsed only when somebody opens a step or a rollout
    get steps() {
      steps ??= (readJson("whetstone-steps") ?? []) as StandaloneData["steps"];
      return steps;
    },
    get rollouts() {
      rollouts ??= (readJson("whetstone-rollouts") ?? []) as StandaloneData["rollouts"];
      return rollouts;
    },
  };
}

function readJson(id: string): unknown {
  const text = document.querySelector(`#${id}`)?.textContent;
  return text === undefined || text.trim() === "" ? undefined : JSON.parse(text);
}

/** Reads the one run embedded in the page. */
export function standaloneSource(data: StandaloneData): ReportSource {
  const { report } = data;
  const { id } = report.overview;
  const only = <T>(asked: string, value: T): Promise<T> =>
    asked === id
      ? Promise.resolve(value)
      : Promise.reject(
          new ReportError("no-run", `This file only has run ${id}.`, "Use `whetstone ui` to see all runs."),
        );
  return {
    kind: "standalone",
    runs: () => Promise.resolve([report.overview]),
    run: (asked) => only(asked, report),
    async step(asked, number) {
      const step = data.steps.find((one) => one.step === number);
      await only(asked, undefined);
      if (step === undefined)
        throw new ReportError("no-step", `This run has no step ${number}.`, "Go back to the run.");
      return step;
    },
    rollout: (asked, ref) =>
      only(
        asked,
        data.rollouts.find((one) => one.ref === ref),
      ),
  };
}
