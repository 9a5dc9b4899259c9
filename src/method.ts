/** The parts of the method as pure functions: edits, budgets, scores, the strict gate, claims, judge calibration. */
export { extractJson } from "./core/extract-json.ts";
export { type Metric, type Score, gateScore, meanScore } from "./core/gate/score.ts";
export { type GateAction, type GateResult, type StrictGateInput, strictGate } from "./core/gate/strict.ts";
export type { Judge } from "./core/judge/ask-judge.ts";
export { type Calibration, type CalibrationGroup, calibrateJudge } from "./core/judge/calibrate.ts";
export { type Compared, type Pair, comparePair } from "./core/judge/compare-pair.ts";
export type { CalibrationRow, KnownAnswers, ProbeKind } from "./core/judge/probes.ts";
export { scoreTask } from "./core/scorers/score-task.ts";
export {
  type EditCandidate,
  type EditLimits,
  type EditReport,
  type EditStatus,
  applyEdit,
  applyPatch,
} from "./core/skill/apply-edits.ts";
export type { Edit, EditOp, Patch, RawPatch } from "./core/skill/edit.ts";
export { skillHash } from "./core/skill/hash.ts";
export type { TokenBudgets } from "./core/skill/token-budgets.ts";
export { type EditBudgetInput, type EditSchedule, editBudget } from "./core/stages/edit-budget.ts";
export type { ReplyProblem } from "./core/unusable-reply.ts";
export { mainText, singleFileSkill } from "./core/skill/skill.ts";
export type { ClaimPair, Trial } from "./core/gate/claim/claim-pair.ts";
export { type ClaimOptions, type ClaimVerdict, claimVerdict } from "./core/gate/claim/claim-verdict.ts";
export type { BlindFacts } from "./core/blind-words.ts";
export type { FallFacts } from "./core/group-words.ts";
export type { WorstGroup } from "./core/gate/claim/worst-group.ts";
export type { ClaimFacts, ClaimWord } from "./core/verdict-words.ts";
