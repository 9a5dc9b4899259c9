import { type Stage, stageOrder } from "../core/place.ts";
import { resultsPerMinute } from "../core/rehearse/pace.ts";
import { timeLeft } from "../core/rehearse/time-left.ts";
import { formatUsd } from "../core/work/spend.ts";
import { plural, short } from "./format.ts";
import type { CapUse, LiveReport, StageProgress } from "./model.ts";
import type { RunState } from "./run-state.ts";

/** A run's current progress, the same for terminal, web app and server. */
export function liveProgress(state: RunState, now: number): LiveReport {
  const open = stageOrder.filter((name) => state.stages[name]?.ended === false);
  return {
    place: placeText(state),
    stages: open.map((name) => stageProgress(state, name)),
    troubles: laneTroubles(state),
    perMinute: resultsPerMinute(state.pace),
    leftMs: timeLeft(state, now),
    elapsedMs: now - state.executionAt,
    silentMs: now - state.at,
    caps: capUses(state, now),
  };
}

/** Models that delay a run, and why. */
export const laneTroubles = ({ lanes }: Pick<RunState, "lanes">): readonly string[] =>
  Object.entries(lanes).flatMap(([name, { state, limit }]) => {
    if (state === "open") return [`${name} isn't answering`];
    return state === "throttled" ? [`${name} is rate limited to ${limit} at a time`] : [];
  });

/** A run's current place, in words. */
export function placeText({ command, step, steps, epoch, settings, isSearched, rows }: RunState): string {
  if (command !== "train") return command;
  if (isSearched) return `${step < steps ? "the search is over" : "all steps done"}, final measurements`;
  if (step === 0) return "before the first step";
  const { epochs, more = 0 } = settings as { readonly epochs?: number; readonly more?: number };
  // with a lag the next step proposes while this one is measured
  const now = Math.min(rows.length + 1, step);
  const ahead = now < step ? `, step ${step} begun` : "";
  return `step ${now} of ${steps}${ahead}${epochs === undefined ? "" : `, epoch ${epoch} of ${epochs + more}`}`;
}

export function stageProgress({ command, stages }: RunState, stage: Stage): StageProgress {
  const { done = 0, judged = 0, total = 0 } = stages[stage] ?? {};
  const isTraining = command === "train";
  // a training's test begins with several arms at once, and only some of them announce their size
  const known = isTraining && stage === "test" ? 0 : total;
  // a gate stops as soon as it knows enough, so its total is only an upper bound
  const isBounded = isTraining && stage === "evaluate";
  const word = stageWords[stage] ?? stage;
  const answers =
    known === 0
      ? done === 0
        ? "no answer yet"
        : plural(done, "answer")
      : isBounded
        ? `${done} of at most ${known}`
        : `${Math.min(done, known)}/${known}`;
  const text = judged === 0 ? answers : `${answers} (${judged} judged)`;
  return { stage, word, done, total: known, isBounded, text };
}

export const stageWords: Readonly<Partial<Record<Stage, string>>> = {
  preflight: "connect",
  calibrate: "calibrate",
  baseline: "measure",
  aggregate: "merge",
};

/** How much of each cap is used. */
export function capUses({ spent, caps, executionAt }: RunState, now: number): readonly CapUse[] {
  const minutes = (now - executionAt) / 60_000;
  const use = (
    name: CapUse["name"],
    used: number,
    cap: number | undefined,
    text: string,
  ): readonly CapUse[] => (cap === undefined ? [] : [{ name, share: used / cap, text }]);
  const { usd, tokens, calls = 0 } = caps;
  return [
    ...use("Money", spent.nanoUsd / 1e9, usd, `${formatUsd(spent.nanoUsd)} of $${usd}`),
    ...use("Tokens", spent.tokens, tokens, `${short(spent.tokens)} of ${short(tokens ?? 0)} tokens`),
    ...use("Calls", spent.calls, caps.calls, `${spent.calls} of ${plural(calls, "call")}`),
    ...use("Minutes", minutes, caps.minutes, `${Math.floor(minutes)} of ${caps.minutes} minutes`),
  ];
}
