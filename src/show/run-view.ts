import { describeModels } from "../core/describe-models.ts";
import { type RunEvent, isLogged } from "../core/events.ts";
import type { TrainSettings } from "../core/settings.ts";
import type { Json } from "../core/json.ts";
import { oneLine } from "../core/one-line.ts";
import { createLiveCalls } from "../report/live-calls.ts";
import { createRunReader } from "../report/run-state.ts";
import { goesWithoutSentence } from "../core/verdict-words.ts";
import { flat, plural, breakLine, hang, remarkLines, colors } from "./format.ts";
import { percent } from "../core/measure/percent.ts";
import { asciiGlyphs, unicodeGlyphs } from "./glyphs.ts";
import type { Io } from "./io.ts";
import { progressLine, progressLines } from "./progress-lines.ts";
import { stepLines, turnLines } from "./step-lines.ts";

export interface RunView {
  readonly onEvent: (event: RunEvent) => void;
  readonly onGuess: (guess: string) => void;
  readonly onNote: (note: string) => void;
  /** Removes the redrawn lines. */
  close(): void;
}

export interface RunViewOptions {
  readonly json: boolean;
  readonly verbose: boolean;
}

const frameMs = 100;
/** A log shows that the run is alive, not what each call does. */
const heartbeatMs = 30_000;

/** Shows a run in progress: redrawn lines on a terminal, plain lines elsewhere, or events as JSON. */
export function openRunView(io: Io, { json, verbose }: RunViewOptions): RunView {
  const calls = createLiveCalls();
  io.waitFor(() => calls.inFlight().oldestAt !== undefined);
  if (json) {
    return {
      onEvent(event) {
        calls.add(event);
        // results from the journal are printed too, so a reader can count them
        if (isLogged(event) || event.type === "unit-end") io.printJson(event);
      },
      onGuess: (guess) => io.warn(flat(`guess  ${guess}`)),
      onNote: (note) => io.warn(flat(`note  ${note}`)),
      close() {},
    };
  }
  const reader = createRunReader();
  const glyphs = io.isUnicode ? unicodeGlyphs : asciiGlyphs;
  const lanes = new Map<string, string>();
  const unusable = new Set<string>();
  let steps = 0;
  let settings: Json = {};
  let isOver = false;
  // a finished run is only read again, so its result is enough
  let isNew = true;
  const tick = () => {
    const state = reader.state();
    if (state?.status !== "running" || isOver || !isNew) return;
    const progress = { state, calls, now: Date.now() };
    if (!io.isTerminal) io.print(colors.dim(`  ${progressLine(progress)}`));
    else io.show(progressLines(progress, { columns: io.columns, rows: io.rows, glyphs }));
  };
  const timer = setInterval(tick, io.isTerminal ? frameMs : heartbeatMs);
  return {
    onGuess: (guess) => io.print(remarkLines("guess", guess, io.lineLimit).join("\n")),
    onNote: (note) => io.print(remarkLines("note", note, io.lineLimit).join("\n")),
    onEvent(event) {
      reader.add(event);
      calls.add(event);
      if (event.type === "run-start") {
        isNew = !event.finished;
        settings = event.settings;
      }
      if (event.type === "run-start" || event.type === "step-start") steps = event.steps;
      if (!isNew && event.type !== "run-start") return;
      // a provider that rate limits does so again and again
      if (event.type === "lane-change" && lanes.get(event.lane) === event.state) return;
      if (event.type === "lane-change") lanes.set(event.lane, event.state);
      // only the first of its kind is printed, the others are counted
      if (event.type === "reply-unusable") {
        const kind = `${event.role} ${event.reply}`;
        if (unusable.has(kind)) return;
        unusable.add(kind);
      }
      for (const line of linesFor(event, { steps, settings, verbose, limit: io.lineLimit })) io.print(line);
    },
    close() {
      isOver = true;
      clearInterval(timer);
      io.show([]);
    },
  };
}

/** The lines that stay on the screen. */
function linesFor(
  event: RunEvent,
  {
    steps,
    settings,
    verbose,
    limit,
  }: {
    readonly steps: number;
    readonly settings: Json;
    readonly verbose: boolean;
    readonly limit: number;
  },
): readonly string[] {
  switch (event.type) {
    case "run-start":
      return startLines(event, limit);
    case "plan":
      return noteLines(event.message, limit);
    case "request-trimmed": {
      const names = oneLine(event.removed.join(", "));
      return noteLines(
        `${event.agent}: removed from its requests: ${names} (proxy.allow lets plain fields through)`,
        limit,
      );
    }
    case "judge-calibrated":
      return noteLines(`judge ${event.judge}: ${event.message}`, limit);
    case "step-end":
      return stepLines(event, steps, limit);
    case "turn-end":
      return turnLines(event, settings, limit);
    case "stage-end":
      if (event.stage === "baseline" && event.hard !== undefined) {
        return [`${plural(event.total, "task")} measured: ${percent(event.hard)} pass with this skill`];
      }
      return verbose
        ? [
            colors.dim(
              `  ${event.step === 0 ? "" : `step ${event.step}: `}${event.stage}${event.total > 0 ? ` ${event.total}` : ""}, ${event.ms} ms`,
            ),
          ]
        : [];
    case "unit-pending":
      return verbose ? noteLines(`${event.stage}: no answer yet (${oneLine(event.message)})`, limit) : [];
    case "reply-unusable":
      return unusableLines(event, limit);
    case "lane-change":
      return hang(`${event.lane}: ${laneWords[event.state]} (${oneLine(event.message)})`, limit).map((line) =>
        colors.yellow(line),
      );
    // the redrawn lines show these, or nobody needs them
    case "step-start":
    case "stage-start":
    case "unit-end":
    case "try-start":
    case "try-failed":
    case "forecast":
    case "search-end":
    case "evidence":
    case "run-end":
    case "run-removed":
      return [];
    default:
      return event satisfies never;
  }
}

const noteLines = (text: string, limit: number): readonly string[] =>
  breakLine(text, limit - 2).map((line) => colors.dim(`  ${line}`));

function unusableLines(
  { role, stage, reply, message, next, tasks = [] }: Extract<RunEvent, { type: "reply-unusable" }>,
  limit: number,
): readonly string[] {
  const which = stage === "preflight" ? preflightWords[role] : `${role}, ${stage}`;
  const more = tasks.length > shownTasks ? ` and ${tasks.length - shownTasks} more` : "";
  const ids = tasks.length === 0 ? "" : ` Likely too long: ${tasks.slice(0, shownTasks).join(", ")}${more}.`;
  return hang(`reply ${reply} (${which}): ${oneLine(message)}${ids} ${next}`, limit).map((line) =>
    colors.yellow(line),
  );
}

const shownTasks = 5;

/** The question that preflight asks each role. */
const preflightWords = {
  target: "target, on the longest task",
  optimizer: "optimizer, on an analyst's prompt",
  judge: "judge, on a small question",
  miner: "miner, on a small question",
} as const;

const laneWords = {
  throttled: "rate limited, slowing down",
  open: "isn't answering, retrying from time to time",
  closed: "is answering again",
  down: "given up",
} as const;

function startLines(
  {
    run,
    command,
    models,
    hosts,
    skillName,
    skillSize,
    tasks,
    resumed,
    finished,
    steps,
    settings,
    provable,
    leftOut = [],
  }: Extract<RunEvent, { type: "run-start" }>,
  limit: number,
): readonly string[] {
  const counts = Object.entries(tasks).flatMap(([split, count]) => (count > 0 ? [`${count} ${split}`] : []));
  return [
    `${colors.bold(command)} ${run}  ${counts.length === 0 ? (skillName ?? "") : `${counts.join(", ")} tasks`}`.trimEnd(),
    ...(skillSize === undefined ? [] : noteLines(`the skill: ${skillSize}`, limit)),
    ...noteLines(describeModels(models, hosts), limit),
    ...(command === "train"
      ? noteLines(`${settingsLine(settings as unknown as TrainSettings)}, ${plural(steps, "step")}`, limit)
      : []),
    ...(provable === undefined ? [] : noteLines(provable, limit)),
    ...(leftOut.length === 0 ? [] : noteLines(goesWithoutSentence(leftOut), limit)),
    ...(resumed > 0 && !finished ? [`  resuming with ${plural(resumed, "saved result")}`] : []),
  ];
}

function settingsLine(settings: TrainSettings): string {
  const { epochs, batchSize, editBudget, minEditBudget, schedule, gate, metric, seed } = settings;
  return `epochs ${epochs}, batch ${batchSize}, edits ${editBudget}→${minEditBudget} ${schedule}, gate ${gate} on ${metric}, seed ${seed}`;
}
