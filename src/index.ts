export type { SplitNames } from "./adapters/importers/find-tasks.ts";
export { type ImportOptions, importTasks } from "./adapters/importers/import-tasks.ts";
export type { Imported, ImportFormat, NotUnderstood } from "./adapters/importers/imported.ts";
export { type Config, defineConfig } from "./config/schema.ts";
export type { ModelHosts } from "./core/describe-models.ts";
export { type ErrorCode, InfraError, WhetstoneError } from "./core/errors.ts";
export type { EventBody, RunCommand, RunEvent } from "./core/events.ts";
export type { ClaimEvidence, Evidence, LossEvidence } from "./core/evidence.ts";
export type { EndedStep, GateEvidence, StepAction, StepRecord } from "./core/step-record.ts";
export type { ClaimLimits } from "./core/gate/claim/claim-limits.ts";
export type { ClaimVerdict } from "./core/gate/claim/claim-verdict.ts";
export type { Drift } from "./core/gate/claim/drift.ts";
export type { LossScope } from "./core/gate/claim/non-inferiority.ts";
export type { Estimate } from "./core/gate/estimate-score.ts";
export type {
  Chance,
  ClaimPlanInput,
  Detectable,
  Needed,
  PlannedClaim,
} from "./core/gate/claim/plan-claim.ts";
export type { Power, PowerKind, PowerRank } from "./core/guard/power.ts";
export type { ArmCost, ArmCosts } from "./core/measure/arm-costs.ts";
export type { ClaimFigures } from "./core/measure/claim-figures.ts";
export type { Comparison } from "./core/measure/compare-skills.ts";
export type { Evaluation } from "./core/measure/evaluate.ts";
export type { LostTask } from "./core/measure/lost-tasks.ts";
export type { Trials } from "./core/measure/trials.ts";
export type { Forecast, ForecastMilestone, Milestone } from "./core/rehearse/forecast.ts";
export type { WorkLine } from "./core/rehearse/pace.ts";
export type { Range } from "./core/rehearse/range.ts";
export type { ChangedFile, LiveState } from "./core/offer/compare-live.ts";
export type { FilePower } from "./core/offer/find-file-powers.ts";
export type { KeptFile, MeasuredText, Proposal, ProposedFile, TextName } from "./core/offer/proposal.ts";
export type { AcknowledgedPower, LiveSkill, Receipt, ReceiptFile } from "./core/offer/receipt.ts";
export type { Chosen, Decisions, Review } from "./core/offer/review.ts";
export type { Decision, Looked, Rule, RuleEdit, RuleEvidence, Wished } from "./core/rules/rule.ts";
export type { PruneVerdict } from "./core/rules/prune/prune-sentence.ts";
export type { PruneResult, RuleEstimate } from "./core/rules/prune/prune.ts";
export type { RegionName } from "./core/skill/regions.ts";
export type { Searched } from "./core/rules/searched-rules.ts";
export type { MeasuredRule, RolloutPrice, RuleTable } from "./core/rules/rule-table.ts";
export type { LossFound, SealedLoss, TestedLoss } from "./core/rules/prune/test-loss.ts";
export type { DegenerateAnswer } from "./core/scorers/degenerate-answers.ts";
export type { DegenerateCheck, Tried } from "./core/scorers/try-degenerate.ts";
export type { SpendCaps } from "./core/settings.ts";
export type { Document } from "./core/rules/learned/document.ts";
export type { Measured } from "./core/rules/evidence/standing.ts";
export type { TaskEvidence, Toss } from "./core/rules/evidence/toss.ts";
export type {
  LearnedEdit,
  LearnedRule,
  Provenance,
  LearnedStatus,
} from "./core/rules/learned/learned-rule.ts";
export type { CheckOutcome } from "./core/tasks/outcome.ts";
export type { Check, CheckedPart, EarlierTurn, Splits, Task } from "./core/tasks/task.ts";
export type { TriggerFigures, TriggerPair, TriggerReport } from "./core/triggers/trigger-figures.ts";
export type { UnusableReply } from "./core/unusable-reply.ts";
export type { BlindFacts } from "./core/blind-words.ts";
export type { FallFacts } from "./core/group-words.ts";
export type { WorstGroup } from "./core/gate/claim/worst-group.ts";
export type { ClaimFacts, ClaimWord, VerdictWord } from "./core/verdict-words.ts";
export type { LossFigures, PruneFigures } from "./report/prune-figures.ts";
export type { ReplyCount } from "./report/unusable-replies.ts";
export type { Adopted } from "./run/offer/adopt.ts";
export type { ProposalDiff } from "./run/offer/diff-proposal.ts";
export type { Undone } from "./run/offer/undo.ts";
export { type PlanOptions, plan } from "./run/plan.ts";
export { type Forget, type Forgotten, type ForgottenProject, forget } from "./run/forget.ts";
export type { ProjectOptions } from "./run/project-options.ts";
export {
  type AdoptOptions,
  type TextChoice,
  type ProposalOptions,
  type Reviewed,
  type ReviewOptions,
  adopt,
  diff,
  review,
  undo,
} from "./run/offer/proposals.ts";
export type { RuleChoices } from "./run/offer/choose.ts";
export type { PricedCost, Summary } from "./run/reports/artifacts.ts";
export { type ChangedFigure, type Verified, type VerifyOptions, verify } from "./run/reports/verify.ts";
export type { CallOptions } from "./run/session/open-run.ts";
export type { Night, NightOptions } from "./sleep/night/night-summary.ts";
export type { PlaceOptions } from "./sleep/place.ts";
export type { ProposalSummary } from "./sleep/night/stage-night.ts";
export { type RunNightOptions, runNight } from "./sleep/run-night.ts";
export type { AskedFacts } from "./core/asked-words.ts";
export {
  type CompareOptions,
  type CompareRun,
  type CompareSummary,
  type CompareTasks,
  compare,
} from "./run/verbs/compare.ts";
export { type EvalRun, type EvalSummary, type EvaluateOptions, evaluate } from "./run/verbs/evaluate.ts";
export type { CallPlan, PlannedCall, TrainingPower } from "./run/verbs/plan-call.ts";
export type { SearchOdds } from "./core/rules/search-odds.ts";
export type { RunPlan, StagePlan } from "./run/verbs/run-plan.ts";
export { type PruneOptions, type PruneRun, type PruneSummary, prune } from "./run/verbs/prune.ts";
export { type Trained, type TrainOptions, train } from "./run/verbs/train.ts";
export type { Performed } from "./run/verbs/verb.ts";
