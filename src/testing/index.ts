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
export type { Fault, FaultKind, FaultPlan } from "./scripted-server/fault.ts";
export type { Latency, LatencyPlan } from "./scripted-server/latency.ts";
export {
  type CallRecord,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "./scripted-server/start-scripted-server.ts";
