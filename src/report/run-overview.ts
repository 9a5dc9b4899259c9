import type { ArmCosts } from "../core/measure/arm-costs.ts";
import type { ClaimVerdict } from "../core/gate/claim/claim-verdict.ts";
import { standingText } from "../core/search-words.ts";
import { nextAfterRun } from "./next-step.ts";
import { verdictParts } from "../core/verdict-words.ts";
import { type Estimate, type RunOverview, type RunReport, reportVersion } from "./model.ts";
import { type RunState, isAtOriginal } from "./run-state.ts";

/** One line of the list of runs. */
export function runOverview(state: RunState): RunOverview {
  const { run, command, status, code, skill, models, tasks, step, steps, spent, startedAt, at } = state;
  const verdict = summaryOf(state)?.verdict;
  const gain = claimedGain(state);
  return {
    v: reportVersion,
    id: run,
    command,
    status,
    ...(status !== "stopped" || code === undefined ? {} : { code }),
    ...(verdict === undefined ? {} : { verdict }),
    sentence: sentenceOf(state),
    ...(status === "running" ? {} : { next: nextAfterRun(state) }),
    ...(gain === undefined ? {} : { gain }),
    skill,
    ...(state.skillName === undefined ? {} : { skillName: state.skillName }),
    models,
    ...(state.hosts === undefined ? {} : { hosts: state.hosts }),
    tasks,
    ...(state.leftAside === undefined ? {} : { leftAside: state.leftAside }),
    step,
    steps,
    cost: spent,
    startedAt,
    at,
    workedMs: state.workedMs + (status === "running" ? at - state.executionAt : 0),
  };
}

/** The common part of the summaries of training, comparing and pruning. Only the first two have a claim. */
export interface SummaryPart {
  readonly verdict?: RunOverview["verdict"];
  readonly claim?: ClaimVerdict & { readonly read?: number };
  readonly perRollout?: ArmCosts;
}

export function summaryOf({
  command,
  status,
  summary,
}: Pick<RunState, "command" | "status" | "summary">): SummaryPart | undefined {
  if (status !== "done" || typeof summary !== "object" || summary === null) return undefined;
  const { claim, ...rest } = summary as unknown as SummaryPart;
  const isClaim = command === "train" || command === "compare";
  return claim === undefined || !isClaim ? rest : { ...rest, claim };
}

/** A run's verdict as the app shows it: three numbers, then the rest of the sentence. */
export function shownVerdict({ overview, summary }: Pick<RunReport, "overview" | "summary">) {
  const { command, status, sentence } = overview;
  const { claim, perRollout } = summaryOf({ command, status, summary }) ?? {};
  return verdictParts({ sentence, claim, perRollout });
}

export function claimedGain(state: Pick<RunState, "command" | "status" | "summary">): Estimate | undefined {
  const claim = summaryOf(state)?.claim;
  if (claim === undefined) return undefined;
  const { difference, interval, wins, losses, ties } = claim;
  return { value: difference, low: interval.low, high: interval.high, tasks: wins + losses + ties };
}

function sentenceOf(state: RunState): string {
  const { status, message, command, step, steps, incumbent, baseline } = state;
  if (status !== "running") return message;
  const where = command === "train" && steps > 0 ? `Step ${step} of ${steps}` : "Not finished";
  if (incumbent === undefined || baseline === undefined) return `${where}; nothing measured yet.`;
  return `${where}; val ${standingText(incumbent, baseline, isAtOriginal(state))}.`;
}
