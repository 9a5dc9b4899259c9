import { join } from "node:path";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { RunCommand } from "../../core/events.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Cost } from "../../core/cost.ts";
import type { TaskPart } from "../../core/measure/compare-skills.ts";
import { type Artifacts, configArtifacts } from "../reports/artifacts.ts";
import { calibrateFirst, calledRoles } from "../session/calibrate-judge.ts";
import { preflight } from "../session/preflight.ts";
import { runId } from "../session/run-id.ts";
import { type RunOptions, runInSession } from "../session/run-in-session.ts";
import type { Session } from "../session/session.ts";
import { startEvent } from "../session/start-event.ts";
import { refuseUnknownPrices } from "./train-run.ts";
import { tryChecksFirst } from "../session/try-checks-first.ts";

export interface MeasuringPlan {
  readonly command: RunCommand;
  readonly given: Resolved;
  readonly parts: readonly TaskPart[];
  /** What else belongs to the run's identity. */
  readonly more: JsonObject;
  /** Nothing will be rolled out, so nobody is called to see whether they answer. */
  readonly callsNobody?: boolean;
}

export interface MeasuringRun<Summary> {
  readonly id: string;
  readonly folder: string;
  readonly summary: Summary;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
}

export interface Measurement<Summary> {
  readonly summary: Summary;
  /** In one sentence. */
  readonly sentence: string;
  readonly artifacts: Artifacts;
}

/** A run that only measures: target calls, a result, no search. The same call again resumes it. */
export async function measuringRun<Summary>(
  { command, given, parts, more, callsNobody = false }: MeasuringPlan,
  options: RunOptions,
  measure: (session: Session, run: string) => Promise<Measurement<Summary>>,
): Promise<MeasuringRun<Summary>> {
  const splits = {
    train: [],
    val: [],
    test: [],
    ...Object.fromEntries(parts.map(({ split, tasks }) => [split, tasks])),
  };
  // only what is measured, and who is measured, belongs to the run's identity
  const models = { ...given.models, optimizer: given.models.target };
  const resolved: Resolved = { ...given, models, splits };
  refuseUnknownPrices(resolved, ["target"]);
  const run = runId(command, resolved, more);
  const folder = resolved.out ?? join(resolved.journalDir, "runs", run);
  return runInSession({ run, folder, resolved }, options, async (session, write) => {
    const { context, spend, finishedBefore } = session;
    const { environment } = resolved;
    context.emit(startEvent({ command, roles: ["target"], folder }, resolved, session));
    await write(configArtifacts(run, resolved));
    if (!callsNobody) {
      // noise only measures; a comparison claims
      if (command === "compare")
        await tryChecksFirst(
          parts.flatMap(({ tasks }) => tasks),
          resolved,
          context,
        );
      await environment.setup?.();
      await preflight(calledRoles(["target"], resolved), context, resolved);
      await calibrateFirst(resolved, context);
    }
    const { summary: measured, sentence, artifacts } = await measure(session, run);
    const summary = { ...measured, ...session.unusable() };
    await write({ ...artifacts, "summary.json": `${JSON.stringify(summary, null, 2)}\n` });
    context.emit({
      type: "run-end",
      status: "done",
      message: sentence,
      summary: summary as Json,
      cost: spend.spent(),
    });
    return { id: run, folder, summary, spent: spend.spent(), finishedBefore };
  });
}
