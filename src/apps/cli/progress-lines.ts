import colors from "picocolors";
import type { Stage } from "../../core/events.ts";
import type { SpendCaps } from "../../core/settings.ts";
import { formatUsd } from "../../core/spend.ts";
import { type RunState, type StepRow, timeLeft } from "../../report/run-state.ts";
import { duration, fit, percent } from "./format.ts";

/** The lines that are redrawn while a run goes on: where it is, and what it has cost. */
export function progressLines(
  state: RunState,
  caps: SpendCaps,
  now: number,
  columns: number,
): readonly string[] {
  const { step, steps, incumbent, best } = state;
  const done = state.rows.length;
  const where = state.command !== "train" ? state.command : step === 0 ? "begin" : `step ${step}/${steps}`;
  const score =
    incumbent === undefined
      ? ""
      : `val ${percent(incumbent)}${best === incumbent ? "" : `, best ${percent(best ?? 0)}`}`;
  const left = timeLeft(state, now);
  const time = `${duration(now - state.executionAt)}${left === undefined ? "" : `, ~${duration(left)} left`}`;
  const share = state.command !== "train" ? stageShare(state) : steps === 0 ? 0 : done / steps;
  const first = [bar(share), colors.bold(where), activeStages(state)]
    .filter((part) => part !== "")
    .join("  ");
  const second = [score, spendText(state, caps), time, laneText(state)]
    .filter((part) => part !== "")
    .join("  ·  ");
  return [fit(first, columns), fit(colors.dim(second), columns)];
}

/** One finished step in one line. */
export function stepLine({ step, action, reason, edits, refused }: StepRow, steps: number): string {
  const place = `step ${String(step).padStart(String(steps).length)}/${steps}`;
  const kept = action.startsWith("accept");
  const word = {
    accept_new_best: "new best",
    return_to_original: "back",
    accept: "accepted",
    reject: "rejected",
    skip: "skipped",
    undecided: "undecided",
  }[action];
  const mark = kept ? colors.green(word.padEnd(9)) : colors.dim(word.padEnd(9));
  const counts = [
    edits > 0 ? `${edits} edit${edits === 1 ? "" : "s"}` : "",
    refused > 0 ? `${refused} refused` : "",
  ];
  const detail = counts.filter((part) => part !== "").join(", ");
  return `${place}  ${mark}  ${reason}${detail === "" ? "" : colors.dim(` (${detail})`)}`;
}

const barWidth = 12;

function bar(share: number): string {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * barWidth);
  return `${colors.green("█".repeat(full))}${colors.dim("░".repeat(barWidth - full))}`;
}

function stageShare({ stages }: RunState): number {
  const { done = 0, total = 0 } = stages.baseline ?? stages.evaluate ?? {};
  return total === 0 ? 0 : done / total;
}

const order: readonly Stage[] = [
  "preflight",
  "baseline",
  "rollout",
  "reflect",
  "aggregate",
  "select",
  "update",
  "evaluate",
  "test",
];

/** What goes on now; the test in the background is named only when nothing else does. */
function activeStages({ stages }: RunState): string {
  const active = order.filter((name) => stages[name]?.ended === false);
  const shown = active.length > 1 ? active.filter((name) => name !== "test") : active;
  return shown
    .map((name) => {
      const { done = 0, total = 0 } = stages[name] ?? {};
      const word = name === "baseline" ? "measure" : name;
      return total > 0 ? `${word} ${Math.min(done, total)}/${total}` : `${word} ${done || "…"}`;
    })
    .join(", ");
}

/** Spent and its cap; the cap that is nearest when there are several. */
function spendText({ spent }: Pick<RunState, "spent">, caps: SpendCaps): string {
  const shown = [
    ...(caps.usd === undefined ? [] : [`${formatUsd(spent.nanoUsd)} of $${caps.usd}`]),
    ...(caps.tokens === undefined ? [] : [`${spent.tokens} of ${caps.tokens} tokens`]),
    ...(caps.calls === undefined ? [] : [`${spent.calls} of ${caps.calls} calls`]),
  ];
  return shown.length === 0 ? `${spent.calls} calls` : shown.join(", ");
}

function laneText({ lanes }: RunState): string {
  const troubled = Object.entries(lanes).filter(
    ([, lane]) => lane.state === "open" || lane.state === "throttled",
  );
  return troubled
    .map(([name, lane]) =>
      colors.yellow(`${name} ${lane.state === "open" ? "does not answer" : "is throttled"}`),
    )
    .join(", ");
}
