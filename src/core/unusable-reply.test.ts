import { expect, test } from "vitest";
import type { AgentRun } from "./ports/agent.ts";
import type { Reply } from "./ports/model.ts";
import { hasFailed, hasRunFailed } from "./unusable-reply.ts";

const some = { inputTokens: 5, outputTokens: 2 };
const none = { inputTokens: 5, outputTokens: 0 };

test.each<[string, Reply, boolean]>([
  ["an answer", { text: "4", finish: "stop", usage: some }, false],
  [
    "an answer of a server that counts nothing",
    { text: "4", finish: "stop", usage: { ...some, estimated: true } },
    false,
  ],
  ["thoughts that took all tokens", { text: "", finish: "length", usage: some }, false],
  ["silence that was paid", { text: "", finish: "stop", usage: some }, false],
  ["a filter", { text: "", finish: "content-filter", usage: none }, false],
  ["silence without tokens", { text: "", finish: "stop", usage: none }, true],
  ["silence that nobody counted", { text: "", finish: "stop", usage: { ...some, estimated: true } }, true],
  ["no reason for the end", { text: "half", finish: "none", usage: some }, true],
])("%s: whether the provider failed", (_, reply, isFailure) => {
  expect(hasFailed(reply)).toBe(isFailure);
});

const run: AgentRun = {
  text: "",
  ended: "done",
  toolCalls: [],
  changed: {},
  skills: { offered: [], loaded: [] },
  conversation: [],
  usage: none,
  calls: 0,
};

test("an agent that neither spoke nor acted nor took a token has not been heard", () => {
  expect(hasRunFailed(run)).toBe(true);
  const others = [{ text: "ok" }, { usage: some }, { changed: { "a.txt": "" } }, { ended: "time" }] as const;
  for (const other of others) expect(hasRunFailed({ ...run, ...other })).toBe(false);
});
