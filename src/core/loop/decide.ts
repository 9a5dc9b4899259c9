import type { Context } from "../context.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { decideStrictly, startStrictGate } from "./decide-strict.ts";
import { type GateDecision, type GateInput, type StartedGate } from "./decision.ts";
import { type TurnCounts, measureRules, startRulesGate } from "./measure-rules.ts";
import { openProposals, recallRules } from "./open-proposals.ts";
import type { Standing } from "./standing.ts";

/** Measures the original, so that candidates can be compared with it. `off` buys nothing. */
export async function startGate(
  skill: Skill,
  val: readonly Task[],
  counts: TurnCounts,
  context: Context,
): Promise<StartedGate> {
  switch (context.settings.gate) {
    case "strict":
      return startStrictGate(skill, val, context);
    case "rules":
      return startRulesGate(skill, val, counts, context);
    case "off": {
      const measured = { skill, score: null };
      return { val, standing: { current: measured, best: { ...measured, step: 0 }, gate: { kind: "off" } } };
    }
  }
}

/** What the gate knows of candidates before anything is measured. */
export function openCandidates(input: GateInput, context: Context): Standing {
  const { standing } = input;
  return standing.gate.kind === "rules"
    ? { ...standing, gate: openProposals(input, standing.gate, context) }
    : standing;
}

/** The gate: every write that changes the skill passes here. */
export async function decideCandidates(input: GateInput, context: Context): Promise<GateDecision> {
  const { gate } = input.standing;
  switch (gate.kind) {
    case "strict":
      return decideStrictly(input, gate, context);
    case "rules":
      return measureRules(input, gate, context);
    case "off": {
      const measured = { skill: input.candidate, score: null };
      const standing = { ...input.standing, current: measured, best: { ...measured, step: input.step } };
      return { action: "accept", reason: "accepted without a gate: unverified", standing };
    }
  }
}

/** What proposers are told of earlier steps, as things stand. */
export const recall = (tried: readonly TriedStep[], { gate }: Standing): readonly TriedStep[] =>
  gate.kind === "rules" ? recallRules(tried, gate) : tried;
