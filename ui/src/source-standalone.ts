import type { ReportSource, StandaloneData } from "../../src/report/model.ts";
import { ReportError } from "./report-error.ts";

/** What stands in the page, or nothing when the page came from a server. */
export function readStandaloneData(): StandaloneData | undefined {
  const text = document.querySelector("#whetstone-data")?.textContent;
  return text === undefined || text.trim() === "" ? undefined : (JSON.parse(text) as StandaloneData);
}

/** Reads the one run that stands in the page. */
export function standaloneSource({ report, steps, rollouts }: StandaloneData): ReportSource {
  const { id } = report.overview;
  const only = <T>(asked: string, value: T): Promise<T> =>
    asked === id
      ? Promise.resolve(value)
      : Promise.reject(
          new ReportError("no-run", `This file holds run ${id} only.`, "Use `whetstone ui` to see all runs."),
        );
  const byRef = new Map(rollouts.map((rollout) => [rollout.ref, rollout]));
  const refuse = () =>
    Promise.reject(
      new ReportError(
        "read-only",
        "A report file changes nothing.",
        `Run \`whetstone adopt ${id}\` instead.`,
      ),
    );
  return {
    kind: "standalone",
    runs: () => Promise.resolve([report.overview]),
    run: (asked) => only(asked, report),
    async step(asked, number) {
      const step = steps.find((one) => one.step === number);
      await only(asked, undefined);
      if (step === undefined)
        throw new ReportError("no-step", `This run has no step ${number}.`, "Go back to the run.");
      return step;
    },
    rollout: (asked, ref) => only(asked, byRef.get(ref)),
    watch: () => () => {},
    adopt: refuse,
    undo: refuse,
  };
}
