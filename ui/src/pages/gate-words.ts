import { type Json, isObject } from "../../../src/core/json.ts";
import type { GatePair, GateReport } from "../../../src/report/model.ts";
import { plural, points } from "../format.ts";

export interface GateWords {
  /** How far it got before it stopped. */
  readonly stop: string;
  /** The meaning of the figures. */
  readonly evidence: readonly string[];
}

/** Explains a gate's decision to somebody who hasn't read about gates. */
export function describeGate({ evidence, p, asked, of }: GateReport): GateWords {
  const figures = isObject(evidence) ? evidence : {};
  const { estimate, sd, rollouts, lost } = figures;
  const spent = typeof rollouts === "number" ? plural(rollouts, "rollout") : "";
  const words: string[] = [];
  if (typeof estimate === "number" && typeof sd === "number") {
    words.push(
      `Expected effect of these edits: ${points(estimate)} points, give or take ${(100 * sd).toFixed(1)} (one standard deviation)${spent === "" ? "" : `, after ${spent}`}.`,
      estimate > 0
        ? "It is kept because it's expected to help. That isn't proof: only the sealed test proves anything."
        : "It isn't expected to help.",
    );
  } else if (p === undefined && spent !== "") words.push(`Decided after ${spent}.`);
  if (p !== undefined) {
    words.push(
      `p = ${formatP(p)}: how often a candidate that isn't better would win this clearly by luck alone.`,
    );
  }
  if (Array.isArray(lost)) for (const task of lost) words.push(...describeLost(task));
  return { stop: describeStop(asked, of), evidence: words };
}

export interface PairCounts {
  readonly win: number;
  readonly loss: number;
  readonly tie: number;
  readonly open: number;
}

export function countPairs(pairs: readonly GatePair[]): PairCounts {
  const counts = { win: 0, loss: 0, tie: 0, open: 0 };
  for (const { outcome } of pairs) counts[outcome] += 1;
  return counts;
}

function describeStop(asked: number, of: number): string {
  if (of === 0) return "No val tasks were asked.";
  if (asked >= of) return `All ${of} val tasks were asked before the decision.`;
  return `Stopped early: ${asked} of ${of} val tasks were enough for the decision.`;
}

function describeLost(lost: Json): readonly string[] {
  if (!isObject(lost) || typeof lost["task"] !== "string") return [];
  const again = typeof lost["p"] === "number" ? ` Run again, p = ${formatP(lost["p"])}.` : "";
  return [`${lost["task"]} always passed before and never passed with the candidate.${again}`];
}

const formatP = (p: number): string => (p < 0.001 ? p.toExponential(1) : p.toFixed(3));
