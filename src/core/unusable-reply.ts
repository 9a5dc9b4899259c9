import type { AgentRun } from "./ports/agent.ts";
import type { Reply, Role } from "./ports/model.ts";
import type { TrainSettings } from "./settings.ts";

/**
 * A reply that can't be used as an answer. `cut`: It ended at the token limit. `empty`: It contains no text. `refused`:
 * The provider refused the prompt, which is too long for the model or was stopped by a filter. `unparsable`: It isn't in
 * the format that the contract requires.
 */
export type UnusableReply = "cut" | "empty" | "refused" | "unparsable";

/** The same, with the two kinds of refusal kept apart. */
export type ReplyProblem = Exclude<UnusableReply, "refused"> | "too-long" | "filtered";

export const replyClass = (problem: ReplyProblem): UnusableReply =>
  problem === "too-long" || problem === "filtered" ? "refused" : problem;

/** Finds problems of any reply, whatever it was asked for. */
export function findReplyProblem({
  text,
  finish,
}: Pick<Reply, "text" | "finish">): "cut" | "empty" | "filtered" | undefined {
  if (finish === "length") return "cut";
  if (finish === "content-filter") return "filtered";
  return withoutThoughts(text).trim() === "" ? "empty" : undefined;
}

/** Whether the provider itself failed: it gave no finish reason, or sent no text and counted no tokens. */
export const hasFailed = ({ text, finish, usage }: Pick<Reply, "text" | "finish" | "usage">): boolean =>
  finish === "none" ||
  (text === "" && finish !== "content-filter" && (usage.outputTokens === 0 || usage.estimated === true));

/** An agent that changed a file or called a tool has answered, even without any text. */
export function findRunProblem({
  text,
  ended,
  toolCalls,
  changed,
}: AgentRun): "cut" | "empty" | "filtered" | undefined {
  if (ended === "length") return "cut";
  if (ended === "refused") return "filtered";
  const hasActed = toolCalls.length > 0 || Object.keys(changed).length > 0;
  return ended === "done" && !hasActed && withoutThoughts(text).trim() === "" ? "empty" : undefined;
}

/** Whether the agent said and did nothing, and no tokens were counted. */
export const hasRunFailed = (run: AgentRun): boolean =>
  findRunProblem(run) === "empty" && run.usage.outputTokens === 0;

/** Removes a model's thoughts, which some servers leave in front of the answer. */
export const withoutThoughts = (text: string): string => text.replace(/^\s*<think>[\s\S]*?<\/think>\s*/i, "");

export interface ExplainedReply {
  readonly reply: UnusableReply;
  /** The problem, as a sentence. */
  readonly message: string;
  /** The setting to change. */
  readonly next: string;
}

export interface AskedBy {
  readonly role: Role;
  /** The target is an agent with tools. */
  readonly isAgent: boolean;
  readonly settings: Pick<
    TrainSettings,
    "targetMaxTokens" | "optimizerMaxTokens" | "agentLimits" | "contracts"
  >;
}

/** Explains such a reply to a person, with the next step. `said`: the provider's or the parser's words. */
export function explainReply(problem: ReplyProblem, asked: AskedBy, said = ""): ExplainedReply {
  const { role, isAgent, settings } = asked;
  const isTarget = role === "target";
  const most = isTarget ? settings.targetMaxTokens : settings.optimizerMaxTokens;
  // not every command that calls an optimizer or a judge has its flags
  const limit = isTarget
    ? "--target-max-tokens"
    : "`optimizerMaxTokens` in the config, or --optimizer-max-tokens of `train`";
  const room = `raise ${limit} (now ${most}), or name another model with --${role}`;
  const reply = replyClass(problem);
  const isPlain = role === "optimizer" && settings.contracts === "plain";
  if (isTarget && isAgent && (problem === "cut" || problem === "empty"))
    return {
      reply,
      message: problem === "cut" ? "The agent's answer was cut off." : "The agent said and did nothing.",
      next: "Give the agent's model more room for its answer, or name another one with --target.",
    };
  switch (problem) {
    case "cut":
      return {
        reply,
        message: `It was cut off at ${most} tokens.`,
        next: `Give it room to think and to answer: ${room}.`,
      };
    case "empty":
      return {
        reply,
        message: "It contains no text.",
        next: `The model may have used up its tokens on thinking: ${room}.`,
      };
    case "too-long":
      return {
        reply,
        message: `The prompt is too long for the model. ${said}`.trim(),
        next: `Give the server a larger context (llama.cpp -c, Ollama OLLAMA_CONTEXT_LENGTH, vLLM --max-model-len), name a model with a larger one, or make ${isTarget ? "the skill or these tasks shorter" : "the prompt shorter with a smaller --minibatch-size"}.`,
      };
    case "filtered":
      return {
        reply,
        message: "The provider's content filter stopped it.",
        next: `Remove the text that the filter stops, or name another model with --${role}.`,
      };
    case "unparsable":
      return {
        reply,
        message: `It isn't ${isPlain ? "in the requested format" : "the requested JSON"}${said === "" ? "." : `: ${said}`}`,
        next:
          role === "optimizer" && !isPlain
            ? 'Ask for plain lines, which small models can write, with `contracts: "plain"` in the config or --contracts plain of `train`, or name a model that keeps to a format with --optimizer.'
            : `Name a model that keeps to a format with --${role}.`,
      };
  }
}
