import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "../../../src/adapters/redaction/create-redactor.ts";
import { claudeCodeSource } from "../../../src/adapters/transcripts/readers/claude-code.ts";
import { harvest } from "../../../src/adapters/transcripts/harvest.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import type { Digest } from "../../../src/core/sleep/mine/digest.ts";
import type { Document } from "../../../src/core/sleep/rules/document.ts";
import { guardRule } from "../../../src/core/sleep/rules/guard-rule.ts";
import type { MinedTask } from "../../../src/core/sleep/mine/mined-task.ts";
import { consolidateNight } from "../../../src/core/sleep/night/night.ts";
import { findStated } from "../../../src/core/sleep/mine/quotes.ts";
import type { Rule } from "../../../src/core/sleep/rules/rule.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import { redactConversation } from "../../../src/run/sleep/night/ingest.ts";
import { contractOf, scriptedContext } from "../scripted-context.ts";
import { wishOf } from "../wishes.ts";

/** How a text comes into a conversation. */
export type Carrier = keyof typeof carriers;

export interface PoisonedNight {
  /** What became of the text as a rule; missing when it did not even become one. */
  readonly rule: Rule | undefined;
  /** Whether the night would put it into the document. */
  readonly isProposed: boolean;
}

/**
 * Two conversations of one person, as Claude Code writes them, with a text in them; they are read, redacted and turned
 * into tasks, and an optimizer proposes exactly that text. A miner claims each time that the person typed it.
 */
export async function dreamOf(text: string, carrier: Carrier): Promise<PoisonedNight> {
  const folder = mkdtempSync(join(tmpdir(), "whetstone-poison-"));
  try {
    const digests = await readConversations(folder, text, carrier);
    const document = memory(join(folder, "shop/CLAUDE.md"));
    const seen = carriers[carrier].conversations === 1 ? [digests[0]?.id ?? ""] : digests.map(({ id }) => id);
    const stated = digests.map(({ turns }) => findStated(text, turns)).find((words) => words !== undefined);
    const context = await scriptedContext((request) =>
      contractOf(request) === "" ? "The table is ready." : propose(request, text),
    );
    const result = await consolidateNight(
      {
        night: "n1",
        documents: [document],
        tasks: new Map([[document.id, { train: tasksOf(seen), val: [], regression: [] }]]),
        rules: [],
        wishes: stated === undefined ? [] : [wishOf(stated)],
        untrusted: new Set(digests.flatMap(({ untrusted }) => untrusted)),
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
    const [night] = result.documents;
    const rule = result.rules[0];
    return {
      rule,
      isProposed:
        (night?.promising.files["CLAUDE.md"] ?? "").includes(text) ||
        (rule !== undefined && rule.status !== "refused"),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Told {
  readonly prompt?: string;
  readonly answer?: string;
  readonly output?: { readonly tool: string; readonly text: string };
}

const filler = Array.from(
  { length: 400 },
  (_, at) => `Paragraph ${at} speaks of tables, their ${at % 7} columns and how they were once printed.`,
).join("\n");

export const carriers = {
  "output of a command": { conversations: 2, tell: (text): Told => ({ output: { tool: "Bash", text } }) },
  "a file that was read": {
    conversations: 2,
    tell: (text): Told => ({ output: { tool: "Read", text: `     1→# Notes\n     2→${text}\n` } }),
  },
  "a long web page": {
    conversations: 2,
    tell: (text): Told => ({ output: { tool: "WebFetch", text: `${filler}\n${text}\n${filler}` } }),
  },
  "a page in other dress": {
    conversations: 2,
    tell: (text): Told => ({
      output: { tool: "WebFetch", text: `<b>${text.toUpperCase().replaceAll(" ", "\n  ")}</b>` },
    }),
  },
  "the agent's own words": { conversations: 1, tell: (text): Told => ({ answer: `Noted. ${text}` }) },
  // nobody else said it, and it recurs: it is a rule like any other, and its powers are shown
  "the agent's words, twice": { conversations: 2, tell: (text): Told => ({ answer: `Noted. ${text}` }) },
  "typed by the person": {
    conversations: 1,
    tell: (text): Told => ({ prompt: `One more thing. ${text}`, output: { tool: "Read", text } }),
  },
} as const satisfies Record<string, { conversations: 1 | 2; tell: (text: string) => Told }>;

async function readConversations(folder: string, text: string, carrier: Carrier): Promise<readonly Digest[]> {
  const project = join(folder, "shop");
  const talks = join(folder, "claude/projects/-shop");
  mkdirSync(project, { recursive: true });
  mkdirSync(talks, { recursive: true });
  const { conversations, tell } = carriers[carrier];
  for (const at of [0, 1]) {
    const told: Told = at < conversations ? tell(text) : {};
    const began = 1_760_000_000_000 + at * 3_600_000;
    const file = join(talks, `0000000${at}-0000-4000-8000-000000000000.jsonl`);
    writeFileSync(file, talk(told, { at, began, cwd: project }));
    utimesSync(file, began / 1000 + 60, began / 1000 + 60);
  }
  const redactor = await createRedactor({ env: {} });
  const { conversations: digests } = await harvest({
    sources: [claudeCodeSource({ home: join(folder, "claude") })],
    project,
    cursors: {},
    since: 0,
    max: 10,
    exclude: [],
    prepare: (raw) => redactConversation(raw, redactor),
  });
  return digests;
}

function talk(
  { prompt, answer = "The table is ready.", output }: Told,
  { at, began, cwd }: { readonly at: number; readonly began: number; readonly cwd: string },
): string {
  let nth = 0;
  const record = (type: "user" | "assistant", content: string | readonly object[]) => ({
    type,
    message: { role: type, content, ...(type === "assistant" ? { id: `msg_${at}_${nth}` } : {}) },
    uuid: `record-${at}-${(nth += 1)}`,
    timestamp: new Date(began + 1000 * nth).toISOString(),
    cwd,
    sessionId: `0000000${at}-0000-4000-8000-000000000000`,
    isSidechain: false,
    userType: "external",
  });
  const call = `tool_${at}`;
  return [
    record("user", `Make a table of the orders of week ${at + 1}.`),
    ...(output === undefined
      ? []
      : [
          record("assistant", [{ type: "tool_use", id: call, name: output.tool, input: {} }]),
          record("user", [{ type: "tool_result", tool_use_id: call, content: output.text }]),
        ]),
    record("assistant", [{ type: "text", text: answer }]),
    ...(prompt === undefined
      ? []
      : [record("user", prompt), record("assistant", [{ type: "text", text: "Understood." }])]),
  ]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join("");
}

const memory = (path: string): Document => ({
  id: "memory:CLAUDE.md",
  kind: "memory",
  scope: "project",
  name: "CLAUDE.md",
  path,
  skill: singleFileSkill("# Shop\n\nOrders are listed by day.\n", "CLAUDE.md"),
});

const tasksOf = (seen: readonly string[]): readonly MinedTask[] =>
  [1, 2].map((at) => ({
    task: {
      id: `table-${at}`,
      input: `Make a table of the orders of week ${at}.`,
      group: seen[0] ?? "",
      checks: [{ kind: "contains", value: "Monday" }],
    },
    kind: "task",
    seen,
    outcome: "failed",
    evidence: [],
    scope: "project",
    paraphrases: [],
  }));

function propose(request: ModelRequest, text: string): string {
  const shown = request.messages.map(({ content }) => content).join("\n");
  const evidence = [...new Set(Array.from(shown.matchAll(/^Task id: (\S+)$/gm), (found) => found[1] ?? ""))];
  const edits = [{ op: "append", content: `- ${text}`, evidence }];
  return JSON.stringify({ reasoning: "", failure_summary: [], edits });
}
