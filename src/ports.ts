/**
 * Types for your own model, journal, executor, agent, sandbox, environment, gate, scorer or importer.
 * `whetstone/testing` has the suite that a journal must pass, and scripted models to try the others with.
 */
export {
  type Importer,
  type ImportSource,
  type Notes,
  type NotUnderstood,
  type TaskRow,
  takeNotes,
} from "./adapters/importers/imported.ts";
export { assertStorable, matchesFilter } from "./adapters/journals/journal-entry.ts";
export type { LanguageModel } from "./adapters/models/ai-sdk.ts";
export type { ProviderSettings, ResolveModelSettings } from "./adapters/models/providers.ts";
export type { SkillList } from "./config/files/list-skill-files.ts";
export type { Fleet, Resolved } from "./config/resolve/resolved.ts";
export type { Context, Rehearsing } from "./core/context.ts";
export type { Cost } from "./core/cost.ts";
export {
  type ErrorCode,
  type InfraClass,
  InfraError,
  type ServerFault,
  WhetstoneError,
} from "./core/errors.ts";
export type { Files } from "./core/files.ts";
export type { GateName } from "./core/gate/gate-names.ts";
export type { Score } from "./core/gate/score.ts";
export type { Json, JsonObject } from "./core/json.ts";
export { type Evaluation, measureSkill } from "./core/measure/evaluate.ts";
export type {
  Candidates,
  EndInput,
  Gate,
  GateDecision,
  GateInput,
  MeasuredOriginal,
  MeasuredSkill,
  SearchEnd,
  SecondText,
  Standing,
} from "./core/loop/gate.ts";
export type { OddsFacts, SearchOdds } from "./core/rules/search-odds.ts";
export type { Place, Stage } from "./core/place.ts";
export type {
  Agent,
  AgentCall,
  AgentLimits,
  AgentRequest,
  AgentRun,
  InstalledSkill,
  Meter,
  MeteredCall,
  ToolCall,
} from "./core/ports/agent.ts";
export type { Clock } from "./core/ports/clock.ts";
export type { CommandRequest, CommandRun, RunCommandInBox } from "./core/ports/command.ts";
export type { Dispatch, Executed, Executor } from "./core/ports/executor.ts";
export type { Entry, EntryKind, Journal, Lock, NewEntry, ReadFilter } from "./core/ports/journal.ts";
export type { Message, Model, ModelCall, ModelRequest, Reply, Role, Usage } from "./core/ports/model.ts";
export type {
  Inside,
  KernelLimit,
  Sandbox,
  SandboxCommand,
  SandboxJob,
  SandboxLimits,
  SandboxResult,
} from "./core/ports/sandbox.ts";
export type { ScoreAside } from "./core/ports/scoring.ts";
export type { UsualFinds } from "./core/prompts/prompt.ts";
export type { ProposalInput } from "./core/offer/proposal.ts";
export type { Checked, CheckResult, TextCheck } from "./core/scorers/checked.ts";
export type {
  AnswerScore,
  CustomScorer,
  JudgeRequest,
  Performance,
  ScoringTools,
} from "./core/scorers/performance.ts";
export { said } from "./core/scorers/score-task.ts";
export type {
  DefaultFacts,
  FilledBy,
  FilledSettings,
  Setting,
  Settings,
  SettingWords,
} from "./core/setting.ts";
export type { TrainSettings } from "./core/settings.ts";
export type { Change, SearchRule } from "./core/rules/search-rule.ts";
export type { Edit } from "./core/skill/edit.ts";
export type { Skill } from "./core/skill/skill.ts";
export type { GateEvidence, StepAction } from "./core/step-record.ts";
export type { Rolled } from "./core/stages/rollout.ts";
export type { TriedEdit, TriedStep } from "./core/stages/optimizer-text.ts";
export type { AgentTask, Environment, EnvironmentContext, Question } from "./core/tasks/environment.ts";
export type { CheckOutcome, Invalid, Outcome, Pending, Scored } from "./core/tasks/outcome.ts";
export type { Used } from "./core/used.ts";
export type {
  Check,
  CheckedPart,
  EarlierTurn,
  SplitName,
  Splits,
  Task,
  TaskLimits,
} from "./core/tasks/task.ts";
export type { Price, Rates } from "./core/work/price.ts";
export type { Draw, Purpose, Unit } from "./core/work/unit.ts";
export type { Artifact, Artifacts } from "./run/reports/artifacts.ts";
export type { Opened, OpenOptions } from "./run/session/open-run.ts";
export { runId } from "./run/session/run-id.ts";
export { performCall } from "./run/verbs/perform.ts";
export type { Performed, RunFacts, Told, Verb, WriteArtifacts } from "./run/verbs/verb.ts";
export { type JournalPlace, openJournal } from "./adapters/journals/open-journal.ts";
export {
  type PostgresJournalOptions,
  postgresJournal,
} from "./adapters/journals/postgres/postgres.ts";
export { type SqliteJournalOptions, sqliteJournal } from "./adapters/journals/sqlite/sqlite.ts";
export { addCost, noCost } from "./core/cost.ts";
export { type Ledger, readLedger } from "./core/work/ledger.ts";
export { unitKey } from "./core/work/unit.ts";
export {
  type SandboxChoice,
  type SandboxSurroundings,
  chooseSandbox,
} from "./adapters/sandboxes/choose-sandbox.ts";
export { canonicalJson, hashJson } from "./core/canonical.ts";
