import { formatUsd } from "../core/work/spend.ts";
import { runOverview } from "../report/run-overview.ts";
import type { RunState } from "../report/run-state.ts";
import { duration, signedPoints, table, colors } from "./format.ts";
import { percent } from "../core/measure/percent.ts";
import { verdictWords } from "../core/verdict-words.ts";
import { paint } from "./print-result.ts";

/** A table of runs: each one's result with its interval, cost and time. */
export function listLines(runs: readonly RunState[], now: number): readonly string[] {
  const head = ["run", "kind", "begun", "result", "gain (interval)", "cost", "time", "target"];
  const rows = runs.map((run) => {
    const { id, command, status, gain, cost, workedMs, startedAt, models } = runOverview(run);
    return [
      id.slice(0, 8),
      command,
      shortDate(startedAt, now),
      resultWord(run),
      gain === undefined
        ? ""
        : `${signedPoints(gain.value)} (${signedPoints(gain.low)} to ${signedPoints(gain.high)})`,
      // a running run has booked more than its list of steps shows
      status === "running" ? "" : formatUsd(cost.nanoUsd),
      duration(workedMs),
      models["target"] ?? "",
    ];
  });
  return table([head.map((word) => colors.dim(word)), ...rows]);
}

function resultWord(run: RunState): string {
  const { status, code, verdict, step, steps } = runOverview(run);
  if (status === "stopped") return colors.yellow(`stopped (${code ?? "failed"})`);
  if (status === "running") return steps === 0 ? "unfinished" : `unfinished ${step}/${steps}`;
  if (verdict !== undefined) return (paint[verdict] ?? String)(verdictWords[verdict].word);
  const { hard } = (run.summary ?? {}) as { readonly hard?: number | null };
  return typeof hard === "number" ? `${percent(hard)} pass` : "done";
}

/** Local time to the minute; with the year instead if it isn't this year. */
function shortDate(at: number, now: number): string {
  const full = localTime(at);
  return full.slice(0, 4) === localTime(now).slice(0, 4) ? full.slice(5) : full.slice(0, 10);
}

/** `2026-11-15 06:01`. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
