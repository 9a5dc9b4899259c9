import { expect, test } from "vitest";
import type { Digest } from "../../core/ports/conversation.ts";
import { toAtif } from "./to-atif.ts";

const digest: Digest = {
  v: 1,
  id: "codex:42",
  source: "codex",
  project: "/home/dev/shop",
  branch: "main",
  commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  startedAt: 1790500000000,
  endedAt: 1790500060000,
  turns: [
    { prompt: "one", answer: "first" },
    { prompt: "two", answer: "" },
    { prompt: "three", answer: "last" },
  ],
  tools: ["shell"],
  skills: ["money"],
  files: ["src/cart.ts"],
  untrusted: ["f1"],
};

test("a digest becomes a trajectory with what was typed and answered", () => {
  expect(toAtif(digest)).toMatchObject({
    session_id: "codex:42",
    agent: { name: "codex" },
    extra: { project: "/home/dev/shop", commit: digest.commit, tools: ["shell"], files: ["src/cart.ts"] },
  });
});

test("its steps count from one without a gap, as the format asks, and the first and last have their times", () => {
  expect(
    toAtif(digest).steps.map((step) => [step.step_id, step.source, step.message, step.timestamp]),
  ).toEqual([
    [1, "user", "one", "2026-09-27T09:06:40.000Z"],
    [2, "agent", "first", undefined],
    [3, "user", "two", undefined],
    [4, "user", "three", undefined],
    [5, "agent", "last", "2026-09-27T09:07:40.000Z"],
  ]);
});
