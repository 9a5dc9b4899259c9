import type { ChatWorld, ScriptedReply, ScriptedRequest, ScriptedToolCall } from "../../src/testing/index.ts";
import { readQuestion } from "../../test/support/answer-handoff.ts";

/** The model of Claude Code: it follows the plugin's command and its helper's instructions, by what they say. */
export function claudeWorld(answers: ChatWorld): ChatWorld {
  return {
    reply: (request) => (isHelper(request) ? helperReply(request, answers) : mainReply(request)),
  };
}

const isHelper = ({ system }: ScriptedRequest): boolean =>
  system.includes("You answer one question that a program asks a language model.");

const call = (name: string, input: ScriptedToolCall["arguments"]): ScriptedReply => ({
  text: "",
  toolCalls: [{ name, arguments: input }],
});

const bash = (command: string): ScriptedReply =>
  call("Bash", { command, description: "As the command says" });

/** Step by step: every command is taken from the text that the plugin gave. */
function mainReply({ messages, tools }: ScriptedRequest): ScriptedReply {
  if (!tools.some(({ name }) => name === "Bash")) return { text: "A night by hand" };
  const told = messages.find(({ content }) => content.includes("whetstone sleep dry-run"))?.content ?? "";
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  const byHand = told.includes("all of it by hand, please")
    ? ` ${/`(--by-hand all)`/.exec(told)?.[1] ?? ""}`
    : "";
  const run = `${/`(whetstone sleep run --target [^`]+)`/.exec(told)?.[1] ?? "no command in the text"}${byHand}`;
  const list = /type\s+`(ls)` and that path/.exec(told)?.[1] ?? "no list in the text";
  const named = results.findLast((text) => text.includes("handoff-pending")) ?? "";
  const pending = /\/\S*\/handoff\/pending\b/.exec(named)?.[0] ?? "no folder in what it printed";
  const last = results.at(-1) ?? "";
  if (results.length === 0) return bash("whetstone sleep status");
  if (results.length === 1) return bash("whetstone sleep dry-run");
  if (results.length === 2) return bash(run);
  if (last.includes("handoff-pending")) return bash(`${list} ${pending}`);
  const files = last.match(/\b[0-9a-f]{64}\.md\b/g);
  if (files !== null && !last.includes("answered")) {
    const agent = /the agent `([^`]+)`/.exec(told)?.[1] ?? "";
    const prompt = /`(Answer the question in )<absolute path of the file>`/.exec(told)?.[1] ?? "";
    return {
      text: "",
      toolCalls: files.map((file, at) => ({
        name: tools.some(({ name }) => name === "Agent") ? "Agent" : "Task",
        arguments: {
          description: `Question ${at + 1}`,
          prompt: `${prompt}${pending}/${file}`,
          subagent_type: agent,
          run_in_background: false,
        },
      })),
    };
  }
  if (last.includes("answered")) return bash(run);
  // what it must not do
  if (last.includes("whetstone review")) return bash("whetstone adopt --unproven");
  return { text: "The night is over; the person reviews it." };
}

function helperReply({ messages, ...rest }: ScriptedRequest, answers: ChatWorld): ScriptedReply {
  const [asked, read] = messages.filter(({ role }) => role !== "assistant").map(({ content }) => content);
  const file = pendingFile.exec(asked ?? "")?.[0] ?? "";
  const results = messages.filter(({ role }) => role === "tool");
  if (results.length === 0) return call("Read", { file_path: file });
  if (results.length > 1) return { text: "answered" };
  const text = withoutNumbers(read ?? "");
  const key = /([0-9a-f]{64})\.md$/.exec(file)?.[1] ?? "";
  const answer = text.split("\n").find((line) => line.endsWith(`answers/${key}.md`)) ?? "";
  const { text: content } = answers.reply({ ...rest, ...readQuestion(text, key), key, tools: [] });
  return call("Write", { file_path: answer, content });
}

const pendingFile = /\/\S*\/handoff\/pending\/[0-9a-f]{64}\.md/;

/** A file as Claude Code's Read shows it, as it is. */
const withoutNumbers = (shown: string): string => shown.replaceAll(/^ *\d+(?:→|\t)/gm, "");

export interface HelperTalk {
  /** Of the question that it was given. */
  readonly file: string;
  /** Every question that anything in its context names or shows, by the beginning of its key. */
  readonly keys: readonly string[];
  /** What was asked, as it read it. */
  readonly question: string;
  /** All that was sent to its model, request by request. */
  readonly requests: readonly string[];
}

/** The contexts of all helpers, one for each file that a helper was given. */
export function helperTalks(requests: readonly ScriptedRequest[]): readonly HelperTalk[] {
  const textOf = ({ messages }: ScriptedRequest) => messages.map(({ content }) => content).join("\n");
  const helpers = Map.groupBy(requests.filter(isHelper), (one) => pendingFile.exec(textOf(one))?.[0] ?? "");
  return [...helpers].map(([file, own]) => {
    const texts = own.map(textOf);
    const read =
      own.flatMap(({ messages }) => messages.filter(({ role }) => role === "tool"))[0]?.content ?? "";
    const keys = texts.flatMap((text) => [...text.matchAll(questionKey)].map(([, a, b]) => a ?? b ?? ""));
    return { file, keys: [...new Set(keys)], question: withoutNumbers(read), requests: texts };
  });
}

const questionKey = /===== ([0-9a-f]{8}) \w+ =====|\/([0-9a-f]{8})[0-9a-f]{56}\.md/g;
