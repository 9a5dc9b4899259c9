import { expect, test } from "vitest";
import { wordsOf } from "./action-words.ts";

test("where rules are measured, a step changes the text or leaves it; elsewhere a candidate is taken or rejected", () => {
  expect(wordsOf("reject", { gate: "rules" })).toEqual({ tone: "even", sign: "=", word: "unchanged" });
  expect(wordsOf("accept_new_best", { gate: "rules" }).word).toBe("updated");
  expect(wordsOf("skip", { gate: "rules" }).word).toBe("skipped");
  expect(wordsOf("reject", { gate: "strict" }).word).toBe("rejected");
});
