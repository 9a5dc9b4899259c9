export { importTasks, type ImportOptions } from "./adapters/importers/import-tasks.ts";
export type { Imported, NotUnderstood } from "./adapters/importers/imported.ts";
export { type Config, defineConfig } from "./config/schema.ts";
export { type ErrorCode, InfraError, WhetstoneError } from "./core/errors.ts";
export type { RunEvent } from "./core/events.ts";
export { extractJson } from "./core/extract-json.ts";
export type { Files } from "./core/files.ts";
export { gateScore, meanScore } from "./core/gate/score.ts";
export { type GateAction, type GateResult, strictGate } from "./core/gate/strict.ts";
export { type Calibration, calibrateJudge } from "./core/judge/calibrate.ts";
export { comparePair } from "./core/judge/compare-pair.ts";
export type { CalibrationRow } from "./core/judge/probes.ts";
export type { Agent, AgentRequest, AgentRun, ToolCall } from "./core/ports/agent.ts";
export type { Journal } from "./core/ports/journal.ts";
export type { Model } from "./core/ports/model.ts";
export type { Sandbox } from "./core/ports/sandbox.ts";
export {
  type CustomScorer,
  type Performance,
  type ScoringTools,
  scoreTask,
} from "./core/scorers/score-task.ts";
export { applyEdit, applyPatch } from "./core/skill/apply-edits.ts";
export type { Edit, Patch, RawPatch } from "./core/skill/edit.ts";
export { skillHash } from "./core/skill/hash.ts";
export type { Skill } from "./core/skill/skill.ts";
export { editBudget } from "./core/stages/edit-budget.ts";
export type { Environment, EnvironmentContext } from "./core/tasks/environment.ts";
export type { Outcome } from "./core/tasks/outcome.ts";
export type { Check, Splits, Task } from "./core/tasks/task.ts";
export { compare, type CompareOptions } from "./run/compare.ts";
export type { CompareRun, CompareSummary } from "./run/compare-run.ts";
export { evaluate, type EvaluateOptions } from "./run/evaluate.ts";
export { measureNoise } from "./run/noise.ts";
export type { NoiseRun, NoiseSummary } from "./run/noise-run.ts";
export { prune, type PruneOptions } from "./run/prune.ts";
export type { PruneRun, PruneSummary } from "./run/prune-run.ts";
export type { Night } from "./run/sleep/run-night.ts";
export { sleep, type SleepOptions } from "./run/sleep/sleep.ts";
export { train, type Trained, type TrainOptions } from "./run/train.ts";
