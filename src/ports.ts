/**
 * What an implementer needs: of a model, a journal, an executor, an agent, a sandbox, an environment or a scorer.
 * `whetstone/testing` has the suites that an implementation must pass.
 */
export type { Cost } from "./core/cost.ts";
export { type InfraClass, InfraError } from "./core/errors.ts";
export type { Files } from "./core/files.ts";
export type { Json, JsonObject } from "./core/json.ts";
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
export type { CommandRequest, CommandRun } from "./core/ports/command.ts";
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
export type { Checked, CheckResult, TextCheck } from "./core/scorers/checked.ts";
export type {
  AnswerScore,
  CustomScorer,
  JudgeRequest,
  Performance,
  ScoringTools,
} from "./core/scorers/performance.ts";
export type { Skill } from "./core/skill/skill.ts";
export type { AgentTask, Environment, EnvironmentContext, Question } from "./core/tasks/environment.ts";
export type { Invalid, Outcome, Pending, Scored } from "./core/tasks/outcome.ts";
export type { Check, SplitName, Splits, Task } from "./core/tasks/task.ts";
export type { Draw, Purpose, Unit } from "./core/work/unit.ts";
export { type JournalPlace, openJournal } from "./adapters/journals/open-journal.ts";
export {
  type PostgresJournal,
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
