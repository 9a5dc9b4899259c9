import type { Message } from "../../../src/core/ports/model.ts";

/** One turn of a rollout. */
export type Turn =
  | { readonly kind: "asked" | "answered"; readonly text: string }
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly input: string;
      /** Missing if the rollout ended first. */
      readonly output?: string;
      readonly failed: boolean;
    };

/** Joins each tool call with its result. Agents write them as `[tool] {…}` and `[tool] result`. */
export function transcriptTurns(conversation: readonly Message[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of conversation) {
    const tool = role === "assistant" ? readCall(content) : undefined;
    if (tool !== undefined) {
      turns.push(tool);
      continue;
    }
    const at = role === "user" ? turns.findIndex((turn) => isResultOf(content, turn)) : -1;
    const call = turns[at];
    if (call?.kind === "call") turns[at] = withResult(call, content);
    else turns.push({ kind: role === "user" ? "asked" : "answered", text: content });
  }
  return turns;
}

type Call = Extract<Turn, { readonly kind: "call" }>;

function readCall(content: string): Call | undefined {
  const match = /^\[([^\]\n]{1,100})\] (?=[{["\dtfn-])/.exec(content);
  if (match?.[1] === undefined) return undefined;
  try {
    const input: unknown = JSON.parse(content.slice(match[0].length));
    return { kind: "call", tool: match[1], input: JSON.stringify(input, null, 2), failed: false };
  } catch {
    return undefined; // an answer that begins with a bracket
  }
}

const isResultOf = (content: string, turn: Turn): boolean =>
  turn.kind === "call" &&
  turn.output === undefined &&
  (content.startsWith(`[${turn.tool}] `) || content.startsWith(`[${turn.tool} failed] `));

function withResult(call: Call, content: string): Call {
  const failed = content.startsWith(`[${call.tool} failed] `);
  return { ...call, failed, output: content.slice(content.indexOf("] ") + 2) };
}

/** The most telling line of a call's input, for the folded view. */
export function summarizeInput(input: string): string {
  const parsed: unknown = JSON.parse(input);
  if (typeof parsed !== "object" || parsed === null) return input;
  const [first] = Object.values(parsed).filter((value) => typeof value === "string" && value !== "");
  return (first === undefined ? JSON.stringify(parsed) : String(first)).replaceAll(/\s+/g, " ").slice(0, 160);
}
