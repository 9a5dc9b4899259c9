export {
  type HiddenRuleWorld,
  type HiddenRuleWorldOptions,
  hiddenRuleWorld,
} from "./hidden-rule-world.ts";
export type { HiddenRule, RulesInSkill } from "./hidden-rule-office.ts";
export type {
  ChatWorld,
  ScriptedMessage,
  ScriptedReply,
  ScriptedRequest,
  ScriptedTool,
  ScriptedToolCall,
} from "./scripted-server/chat-world.ts";
export type { BatchPlan, ScriptedBatch } from "./scripted-server/batches.ts";
export type { Fault, FaultKind, FaultPlan } from "./scripted-server/fault.ts";
export type { Latency, LatencyPlan } from "./scripted-server/latency.ts";
export {
  type CallRecord,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "./scripted-server/start-scripted-server.ts";
export type { Disk } from "../adapters/journals/memory.ts";
export { type CrashPoint, crashPoint } from "./crash-point.ts";
export { faultyJournal } from "./faulty-journal.ts";
export { faultyModel } from "./faulty-model.ts";
export { testJournal } from "./journal-suite.ts";
export { simulatedDisk } from "./simulation/simulated-disk.ts";
export { networkFaults, simulatedNetwork } from "./simulation/simulated-network.ts";
export { virtualTime } from "./simulation/virtual-time.ts";
