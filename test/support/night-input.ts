import { basename } from "node:path";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import { singleFileSkill } from "../../src/core/skill/skill.ts";
import { chatEnvironment } from "../../src/core/tasks/chat-environment.ts";
import type { Document } from "../../src/core/rules/learned/document.ts";
import type {
  DocumentTasks,
  GuardEdit,
  NightInput,
  NightSettings,
} from "../../src/sleep/night/night-types.ts";
import type { MinedTask } from "../../src/core/ports/mined-task.ts";
import { minedTask } from "./mined-tasks.ts";

export const nightSettings: NightSettings = {
  gate: "on",
  evolveSkill: true,
  evolveMemory: true,
  editBudget: 4,
  attempts: 1,
  trials: 3,
  maxOpenRules: 8,
  maxTasks: 40,
};

/** Lets everything pass that rests on two conversations or was typed. */
export const easyGuard: GuardEdit = (_, { provenance, origin }) =>
  origin === "stated" || provenance.conversations.length >= 2
    ? { ok: true, powers: [] }
    : { ok: false, reason: "it comes from one conversation" };

export const skillDocument = (text = "# Shop\n\nBe kind.\n", name = "shop"): Document => ({
  id: `skill:${name}`,
  kind: "skill",
  scope: "project",
  name,
  path: `/home/ada/shop/.claude/skills/${name}`,
  skill: singleFileSkill(text),
});

export const memoryDocument = (text = "# Memory\n", path = "/home/ada/shop/CLAUDE.md"): Document => ({
  id: `memory:${basename(path)}`,
  kind: "memory",
  scope: "project",
  name: basename(path),
  path,
  skill: singleFileSkill(text, basename(path)),
});

/** Tasks `<name>-1` and so on, each from a conversation of its own; an answer with the word passes. */
export const tasksOf = (name: string, count: number, word = "pnpm"): readonly MinedTask[] =>
  Array.from({ length: count }, (_, index) =>
    minedTask(`${name}-${index + 1}`, `Question ${name}-${index + 1}.`, [`c-${name}-${index + 1}`], {
      task: {
        id: `${name}-${index + 1}`,
        input: `Question ${name}-${index + 1}.`,
        checks: [{ kind: "contains", value: word }],
      },
    }),
  );

/** A night of one skill document, with the usual tasks where no others are given. */
export function nightOf(more: Partial<NightInput & DocumentTasks> = {}): NightInput {
  const { train = tasksOf("train", 2), val = tasksOf("val", 6), regression = [], earlier, ...rest } = more;
  const document = skillDocument();
  const split = { train, val, regression, ...(earlier === undefined ? {} : { earlier }) };
  return {
    night: "n1",
    documents: [document],
    tasks: new Map([[document.id, split]]),
    rules: [],
    wishes: [],
    untrusted: new Set(),
    preferences: "",
    settings: nightSettings,
    guardRule: easyGuard,
    environmentFor: () => chatEnvironment,
    ...rest,
  };
}

/** What an analyst answers that finds these edits in all the tasks it was shown. */
export function proposeRules(request: ModelRequest, ...contents: readonly string[]): string {
  const shown = request.messages.map(({ content }) => content).join("\n");
  const evidence = [...new Set([...shown.matchAll(/^Task id: (\S+)$/gm)].map((found) => found[1] ?? ""))];
  return JSON.stringify({
    reasoning: "",
    failure_summary: [],
    edits: contents.map((content) => ({ op: "append", content, evidence })),
  });
}
