import type { Context } from "../context.ts";
import { WhetstoneError } from "../errors.ts";
import type { GateName } from "../gate/gate-names.ts";
import { fittingTasks } from "../measure/check-replies.ts";
import { measureSkill, requireScore } from "../measure/evaluate.ts";
import { searchOdds } from "../rules/search-odds.ts";
import type { TrainSettings } from "../settings.ts";
import type { Skill } from "../skill/skill.ts";
import { isTooLong, isUnjudged } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import { endSearch } from "./end-search.ts";
import type { Gate, MeasuredOriginal, Standing } from "./gate.ts";
import { type SearchKnowledge, goOn, measureRules, startRulesGate, wholeText } from "./measure-rules.ts";
import { openProposals, recallRules } from "./open-proposals.ts";
import { strict } from "./strict-gate.ts";

/** Measures each rule by itself, all of them at once. */
const rules: Gate<SearchKnowledge> = {
  name: "rules",
  version: "1",
  start: startRulesGate,
  open: openProposals,
  decide: measureRules,
  whole: wholeText,
  recall: recallRules,
  end: endSearch,
  odds: searchOdds,
  goOn,
};

/** Accepts everything without any rollouts. */
const off: Gate = {
  name: "off",
  version: "1",
  async decide({ candidate, standing, step }) {
    const measured = { skill: candidate, score: null };
    const now = { ...standing, current: measured, best: { ...measured, step } };
    return { action: "accept", reason: "accepted without a gate: unverified", standing: now };
  },
};

/** The gates that the setting `gate` can name. */
const gates: Readonly<Record<GateName, Gate>> = { rules, strict, off };

/** The gate passed in code, or else the one that the settings name. */
export function chooseGate({ gate, more }: Pick<TrainSettings, "gate" | "more">, own?: Gate): Gate {
  const chosen = own ?? gates[gate as GateName];
  if (more === undefined || chosen.goOn !== undefined) return chosen;
  const sentence = `The gate "${chosen.name}" can't continue a finished search (--more).`;
  throw new WhetstoneError("config-invalid", sentence, {
    hint: "Use `--gate rules`, or more `--epochs`.",
  });
}

/** A gate in code may be plain JavaScript, so its result is checked. */
export function checkDecision<T>({ name }: Gate, decision: T): T {
  if (decision !== undefined && decision !== null) return decision;
  throw new WhetstoneError("config-invalid", `The gate "${name}" returned no decision.`, {
    hint: "Return an action, a reason and the standing from its `decide`.",
  });
}

/** Before anything is measured. */
export const unmeasured = (skill: Skill): Standing => ({
  current: { skill, score: null },
  best: { skill, score: null, step: 0 },
  known: undefined,
});

/** The state after measuring the original on val, without tasks whose prompts don't fit or that couldn't be judged. */
export async function measureOriginal(
  gate: Gate,
  skill: Skill,
  val: readonly Task[],
  counts: Pick<MeasuredOriginal, "turns" | "proposals" | "isShared">,
  context: Context,
): Promise<Pick<MeasuredOriginal, "val"> & Partial<MeasuredOriginal> & { readonly standing: Standing }> {
  if (gate.start === undefined) return { val, standing: unmeasured(skill) };
  const place = { role: "target", step: 0, stage: "baseline" } as const;
  const baseline = await measureSkill(skill, "val", val, { purpose: "gate", trial: 0 }, place, context);
  const fitting = fittingTasks(baseline.rolled, (outcome) => isTooLong(outcome) || isUnjudged(outcome));
  if (fitting.length > 0 && fitting.length < val.length)
    return measureOriginal(gate, skill, fitting, counts, context);
  const score = requireScore(baseline, context);
  const known = gate.start({ skill, val, baseline, score, ...counts }, context);
  const measured = { skill, score };
  return { val, baseline, standing: { current: measured, best: { ...measured, step: 0 }, known } };
}
