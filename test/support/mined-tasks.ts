import type { Digest, ConversationTurn } from "../../src/core/ports/conversation.ts";
import type { MinedTask } from "../../src/core/ports/mined-task.ts";

/** A conversation, by what the person typed. */
export const digestOf = (id: string, prompts: readonly string[], rest: Partial<Digest> = {}): Digest => ({
  v: 1,
  id,
  source: "claude-code",
  project: "/home/ada/shop",
  startedAt: 1_750_000_000_000,
  endedAt: 1_750_000_600_000,
  turns: prompts.map((prompt): ConversationTurn => ({ prompt, answer: "Done." })),
  tools: [],
  skills: [],
  files: [],
  untrusted: [],
  ...rest,
});

/** A mined task, by its request and the conversations it was seen in. */
export const minedTask = (
  id: string,
  input: string,
  seen: readonly string[],
  rest: Partial<MinedTask> = {},
): MinedTask => ({
  task: { id, input, group: seen[0] ?? id, checks: [{ kind: "contains", value: "pnpm" }] },
  kind: "task",
  seen,
  outcome: "unknown",
  evidence: [],
  scope: "project",
  paraphrases: [],
  ...rest,
});
