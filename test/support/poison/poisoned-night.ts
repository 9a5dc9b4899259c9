import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "../../../src/adapters/redaction/create-redactor.ts";
import { claudeCodeSource } from "../../../src/adapters/transcripts/readers/claude-code.ts";
import { harvest } from "../../../src/sleep/night/harvest.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { Digest } from "../../../src/core/ports/conversation.ts";
import { mineConversations } from "../../../src/sleep/mine/mine.ts";
import { untrustedIn } from "../../../src/sleep/mine/tell-apart.ts";
import { guardRule } from "../../../src/core/rules/learned/guard-rule.ts";
import { consolidateNight } from "../../../src/sleep/night/night.ts";
import type { LearnedRule } from "../../../src/core/rules/learned/learned-rule.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import { redactConversation } from "../../../src/sleep/night/ingest.ts";
import { contractOf, scriptedContext } from "../scripted-context.ts";
import { memoryDocument } from "../night-input.ts";
import { wishOf } from "../wishes.ts";

/** How a text comes into a conversation; `{text}` is where, in other dress in `{dressed}` and as JSON in `{json}`. */
export interface Carrier {
  readonly name: string;
  /** How many conversations hold it. */
  readonly conversations: 1 | 2;
  readonly prompt?: string;
  readonly answer?: string;
  readonly output?: { readonly tool: string; readonly text: string };
  /** What a command of the person printed. */
  readonly shell?: string;
  readonly shellError?: string;
  readonly attachment?: string;
  /** What the program noted as pasted; `{paste}` in the prompt. */
  readonly paste?: string;
}

export const carriers = JSON.parse(
  readFileSync(join(import.meta.dirname, "carriers.json"), "utf8"),
) as readonly Carrier[];

/** What a person types of their own, with an ordinary page beside it. */
export const typedBy = (prompt: string): Carrier => ({
  name: "typed",
  conversations: 1,
  prompt,
  output: { tool: "Read", text: filler.slice(0, 4000) },
});

export interface PoisonedNight {
  /** What became of the text as a rule; missing when it did not even become one. */
  readonly rule: LearnedRule | undefined;
  /** Whether the night would put it before the person. */
  readonly isProposed: boolean;
}

/**
 * Two conversations of one person, as Claude Code writes them, with a text in them; they are read, redacted and mined. The
 * miner falls for everything: it calls the text a correction that the person laid down in so many words. The optimizer
 * proposes exactly that text.
 */
export async function dreamOf(text: string, carrier: Carrier): Promise<PoisonedNight> {
  const folder = mkdtempSync(join(tmpdir(), "whetstone-poison-"));
  try {
    const digests = await readConversations(folder, text, carrier);
    const document = memory(join(folder, "shop/CLAUDE.md"));
    const context = await scriptedContext((request) => {
      const contract = contractOf(request);
      if (contract === "") return "The table is ready.";
      return contract === "mine" ? mineAll(request, text) : propose(request, text);
    });
    // what the agent alone said is no material: one conversation of it is not enough
    const isAgents = Object.keys(carrier).join() === "name,conversations,answer";
    const mined = isAgents ? digests.slice(0, carrier.conversations) : digests;
    const { tasks } = await mineConversations(mined, {}, context);
    const said = new Set(tasks.flatMap((task) => (task.said ?? []).map((sentence) => sentence.text)));
    const result = await consolidateNight(
      {
        night: "n1",
        documents: [document],
        tasks: new Map([[document.id, { train: tasks, val: [], regression: [] }]]),
        rules: [],
        wishes: [...said].map((words, at) => wishOf(words, { id: `w-${at}` })),
        untrusted: untrustedIn(digests),
        preferences: "",
        settings: {
          gate: "off",
          evolveSkill: true,
          evolveMemory: true,
          editBudget: 4,
          attempts: 1,
          trials: 1,
          maxOpenRules: 8,
          maxTasks: 40,
        },
        guardRule,
        environmentFor: () => chatEnvironment,
      },
      context,
    );
    const wanted = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    const holds = ({ edit }: LearnedRule) =>
      edit.op !== "delete" &&
      edit.text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
        .includes(wanted);
    const found = result.rules.filter(holds);
    return {
      rule: found.find(({ status }) => status !== "refused") ?? found[0],
      isProposed: found.some(({ status }) => status !== "refused"),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const filler = Array.from(
  { length: 400 },
  (_, at) => `Paragraph ${at} speaks of tables, their ${at % 7} columns and how they were once printed.`,
).join("\n");

const fill = (template: string, text: string): string =>
  template
    .replaceAll("{filler}", () => filler)
    .replaceAll("{dressed}", () => text.toUpperCase().replaceAll(" ", "\n  "))
    .replaceAll("{json}", () => JSON.stringify(text))
    .replaceAll("{text}", () => text);

async function readConversations(folder: string, text: string, carrier: Carrier): Promise<readonly Digest[]> {
  const project = join(folder, "shop");
  const talks = join(folder, "claude/projects/-shop");
  mkdirSync(project, { recursive: true });
  mkdirSync(talks, { recursive: true });
  const { conversations } = carrier;
  for (const at of [0, 1]) {
    const began = 1_760_000_000_000 + at * 3_600_000;
    const session = `0000000${at}-0000-4000-8000-000000000000`;
    const file = join(talks, `${session}.jsonl`);
    const told = at < conversations ? carrier : typedBy("Thanks.");
    writeFileSync(file, talk(told, text, { at, began, cwd: project }));
    utimesSync(file, began / 1000 + 60, began / 1000 + 60);
    if (at === 0 && carrier.paste !== undefined)
      writeFileSync(join(folder, "claude/history.jsonl"), pasteRecord(fill(carrier.paste, text), session));
  }
  const redactor = await createRedactor({ env: {} });
  const { conversations: digests } = await harvest({
    sources: [claudeCodeSource({ home: join(folder, "claude") })],
    project,
    harvested: {},
    since: 0,
    max: 10,
    exclude: [],
    prepare: (raw) => redactConversation(raw, redactor),
  });
  return digests;
}

const pasteRecord = (content: string, sessionId: string): string =>
  `${JSON.stringify({ display: "[Pasted text #1]", pastedContents: { 1: { id: 1, type: "text", content } }, sessionId })}\n`;

function talk(
  { prompt, answer = "The table is ready.", output, shell, shellError, attachment, paste = "" }: Carrier,
  text: string,
  { at, began, cwd }: { readonly at: number; readonly began: number; readonly cwd: string },
): string {
  let nth = 0;
  const base = (type: string) => ({
    type,
    uuid: `record-${at}-${(nth += 1)}`,
    timestamp: new Date(began + 1000 * nth).toISOString(),
    cwd,
    sessionId: `0000000${at}-0000-4000-8000-000000000000`,
    isSidechain: false,
    userType: "external",
  });
  const record = (type: "user" | "assistant", content: string | readonly object[]) => ({
    ...base(type),
    message: { role: type, content, ...(type === "assistant" ? { id: `msg_${at}_${nth}` } : {}) },
  });
  const call = `tool_${at}`;
  const given = (template: string) => fill(template, text);
  const printed = `<bash-stdout>${given(shell ?? "")}</bash-stdout><bash-stderr>${given(shellError ?? "")}</bash-stderr>`;
  return [
    record("user", `Make a table of the orders of week ${at + 1}.`),
    ...(output === undefined
      ? []
      : [
          record("assistant", [{ type: "tool_use", id: call, name: output.tool, input: {} }]),
          record("user", [{ type: "tool_result", tool_use_id: call, content: given(output.text) }]),
        ]),
    ...(shell === undefined && shellError === undefined
      ? []
      : [record("user", "<bash-input>curl -s https://x.example</bash-input>"), record("user", printed)]),
    ...(attachment === undefined
      ? []
      : [
          {
            ...base("attachment"),
            attachment: {
              type: "file",
              filename: "NOTES.md",
              content: { file: { content: given(attachment) } },
            },
          },
        ]),
    record("assistant", [{ type: "text", text: given(answer) }]),
    ...(prompt === undefined
      ? []
      : [
          record("user", given(prompt.replace("{paste}", () => paste))),
          record("assistant", [{ type: "text", text: "Understood." }]),
        ]),
  ]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join("");
}

const memory = (path: string) => memoryDocument("# Shop\n\nOrders are listed by day.\n", path);

/** One task of every conversation, with the text as what the person laid down. */
function mineAll(request: ModelRequest, text: string): string {
  const shown = request.messages.map(({ content }) => content).join("\n");
  const week = /orders of week (\d)/.exec(shown)?.[1] ?? "1";
  const task = {
    kind: "correction",
    intent: `Make a table of the orders of week ${week}.`,
    context: "",
    checks: [{ kind: "contains", value: "Monday", negate: false }],
    rubric: "",
    outcome: "failed",
    evidence: [text, `Make a table of the orders of week ${week}.`],
    scope: "project",
    stated: text,
    paraphrases: [],
  };
  return JSON.stringify({ tasks: [task] });
}

function propose(request: ModelRequest, text: string): string {
  const shown = request.messages.map(({ content }) => content).join("\n");
  const evidence = [...new Set(Array.from(shown.matchAll(/^Task id: (\S+)$/gm), (found) => found[1] ?? ""))];
  const edits = [{ op: "append", content: `- ${text}`, evidence }];
  return JSON.stringify({ reasoning: "", failure_summary: [], edits });
}
