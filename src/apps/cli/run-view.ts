import colors from "picocolors";
import type { RunEvent } from "../../core/events.ts";
import type { SpendCaps, TrainSettings } from "../../core/settings.ts";
import { type RunState, reduceRun } from "../../report/run-state.ts";
import { percent, plural } from "./format.ts";
import type { Io } from "./io.ts";
import { progressLines, stepLine } from "./progress-lines.ts";

export interface RunView {
  readonly onEvent: (event: RunEvent) => void;
  readonly onGuess: (guess: string) => void;
  /** Takes the redrawn lines away. */
  close(): void;
}

export interface RunViewOptions {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly caps: SpendCaps;
}

/** How a run is shown while it goes on: redrawn lines on a terminal, plain lines elsewhere, or events as JSON. */
export function openRunView(io: Io, { json, verbose, caps }: RunViewOptions): RunView {
  if (json) {
    return {
      onEvent: (event) => io.print(JSON.stringify(event)),
      onGuess: (guess) => io.warn(`guess  ${guess}`),
      close() {},
    };
  }
  let state: RunState | undefined;
  const draw = () => {
    if (state?.status === "running" && !state.finishedBefore)
      io.show(progressLines(state, caps, Date.now(), io.columns));
  };
  const timer = io.isTerminal ? setInterval(draw, 100) : undefined;
  return {
    onGuess: (guess) => io.print(`${colors.dim("guess")}  ${guess}`),
    onEvent(event) {
      state = reduceRun(state, event);
      // a finished run is read again, not lived again: its result is enough
      const isNew = event.type === "run-start" || state?.finishedBefore === false;
      const lines = state !== undefined && isNew ? linesFor(event, state, verbose) : [];
      for (const line of lines) io.print(line);
    },
    close() {
      clearInterval(timer);
      io.show([]);
    },
  };
}

/** What stays on the screen. */
function linesFor(event: RunEvent, state: RunState, verbose: boolean): readonly string[] {
  switch (event.type) {
    case "run-start":
      return startLines(event);
    case "plan":
      return [colors.dim(`  ${event.message}`)];
    case "judge-calibrated":
      return [colors.dim(`  judge ${event.judge}: ${event.message}`)];
    case "step-end":
      return [stepLine({ ...event }, state.steps)];
    case "stage-end":
      if (event.stage === "baseline" && event.hard !== undefined) {
        return [`${event.total} tasks measured: ${percent(event.hard)} pass as it is`];
      }
      return verbose
        ? [colors.dim(`  ${event.stage}${event.total > 0 ? ` ${event.total}` : ""}, ${event.ms} ms`)]
        : [];
    case "unit-pending":
      return verbose ? [colors.dim(`  ${event.stage}: no answer yet (${event.message})`)] : [];
    case "lane-change":
      return [colors.yellow(`${event.lane}: ${laneWords[event.state]} (${event.message})`)];
    default:
      return [];
  }
}

const laneWords = {
  throttled: "throttled, going slower",
  open: "does not answer, trying again from time to time",
  closed: "answers again",
  down: "given up",
} as const;

function startLines({
  run,
  command,
  models,
  tasks,
  resumed,
  finished,
  steps,
  settings,
}: Extract<RunEvent, { type: "run-start" }>) {
  const counts = Object.entries(tasks).flatMap(([split, count]) => (count > 0 ? [`${count} ${split}`] : []));
  const roles = Object.entries(models).map(([role, model]) => `${role} ${model}`);
  return [
    `${colors.bold(command)} ${run}  ${counts.join(", ")} tasks`,
    colors.dim(`  ${roles.join(", ")}`),
    ...(command === "train"
      ? [colors.dim(`  ${settingsLine(settings as unknown as TrainSettings)}, ${plural(steps, "step")}`)]
      : []),
    ...(resumed > 0 && !finished
      ? [`  goes on: ${plural(resumed, "result")} of this run in the journal`]
      : []),
  ];
}

function settingsLine(settings: TrainSettings): string {
  const { epochs, batchSize, editBudget, minEditBudget, schedule, gate, metric, seed } = settings;
  return `epochs ${epochs}, batch ${batchSize}, edits ${editBudget}→${minEditBudget} ${schedule}, gate ${gate} on ${metric}, seed ${seed}`;
}
