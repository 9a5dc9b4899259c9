export type { HiddenRule, SkillContents } from "./hidden-rule-office.ts";
export { type HiddenRuleWorld, type HiddenRuleWorldOptions, hiddenRuleWorld } from "./hidden-rule-world.ts";
export { type Expectation, type JournalFixture, type TestTools, testJournal } from "./journal-suite.ts";
export type { Answer, AnswerToolCall } from "./scripted-server/answer.ts";
export type {
  ChatWorld,
  Finish,
  ProtocolName,
  ScriptedMessage,
  ScriptedReply,
  ScriptedRequest,
  ScriptedTool,
  ScriptedToolCall,
} from "./scripted-server/chat-world.ts";
export type { Fault, FaultKind, FaultPlan, HttpFaultKind, SpoiledKind } from "./scripted-server/fault.ts";
export type { Latency, LatencyPlan } from "./scripted-server/latency.ts";
export {
  type CallRecord,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from "./scripted-server/start-scripted-server.ts";
export { type MemoryJournalOptions, memoryJournal } from "../adapters/journals/memory.ts";
export { seededRandom, shuffle } from "../core/random.ts";
