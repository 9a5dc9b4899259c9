import { expect, test } from "vitest";
import { claimVerdict } from "../gate/claim/claim-verdict.ts";
import { claimSentence } from "../verdict-words.ts";
import { relatedJudgeSentence } from "./judge-family.ts";

test.each([
  ["openai/gpt-5.4", "openai/gpt-5.4", "The judge is the optimizer itself (openai/gpt-5.4), so"],
  [
    "openai/gpt-5.4-mini",
    "openrouter/openai/gpt-5.4",
    "is of the optimizer's family (openrouter/openai/gpt-5.4)",
  ],
  ["codex/gpt-5", "openai/gpt-5.4", "is of the optimizer's family"],
  ["openrouter/anthropic/claude-haiku-5", "anthropic/claude-opus-5", "is of the optimizer's family"],
  ["openai/o4-mini", "openai/gpt-5.4", "is from the optimizer's provider (openai/gpt-5.4)"],
])("%s judging what %s writes is said", (judge, optimizer, said) => {
  const sentence = relatedJudgeSentence({ judge, optimizer });
  expect(sentence).toContain(said);
  expect(sentence).toMatch(/so it may favour (?:what the optimizer writes|its own words)\.$/);
  const claim = claimVerdict(
    Array.from({ length: 12 }, () => ({ incumbent: [0], candidate: [1] })),
    { alpha: 0.03 },
  );
  expect(claimSentence(claim, { relatedJudge: { judge, optimizer } })).toContain(sentence);
});

test("strangers are not spoken of", () => {
  expect(relatedJudgeSentence({ judge: "anthropic/claude-opus-5", optimizer: "openai/gpt-5.4" })).toBe(
    undefined,
  );
  expect(relatedJudgeSentence({ judge: "google/gemini-3", optimizer: "openai/gpt-5.4" })).toBe(undefined);
});
