import { type GateDecisionInput, type GateDecision, type StartedGate } from "./decision.ts";
import type { Context } from "../context.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { decideByFilter, startFilterGate } from "./decide-filter.ts";
import { decidePaired, startPairedGate } from "./decide-paired.ts";
import { decideStrictly, startStrictGate } from "./decide-strict.ts";

/** Measures the original, so that candidates can be compared with it. `off` buys nothing. */
export async function startGate(skill: Skill, val: readonly Task[], context: Context): Promise<StartedGate> {
  switch (context.settings.gate) {
    case "strict":
      return startStrictGate(skill, val, context);
    case "filter":
      return startFilterGate(skill, val, context);
    case "paired":
      return startPairedGate(skill, val, context);
    case "off": {
      const measured = { skill, score: null };
      return { val, standing: { current: measured, best: { ...measured, step: 0 }, gate: { kind: "off" } } };
    }
  }
}

/** The gate: every write that changes the skill passes here. */
export async function decideCandidate(input: GateDecisionInput, context: Context): Promise<GateDecision> {
  const { gate } = input.standing;
  switch (gate.kind) {
    case "strict":
      return decideStrictly(input, gate, context);
    case "filter":
      return decideByFilter(input, gate, context);
    case "paired":
      return decidePaired(input, gate, context);
    case "off": {
      const measured = { skill: input.candidate, score: null };
      const standing = { ...input.standing, current: measured, best: { ...measured, step: input.step } };
      return { action: "accept", reason: "accepted without a gate: unverified", standing };
    }
  }
}
