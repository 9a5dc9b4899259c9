import { expect, test } from "vitest";
import { countEdits, stepText } from "./refusal-words.ts";
import type { EditStatus } from "./skill/apply-edits.ts";

const step = (reason: string, statuses: readonly EditStatus[]) =>
  stepText({
    reason,
    ...countEdits(statuses.map((status) => ({ status, applied: status.startsWith("applied_") }))),
  });

test("a step's line says why edits were refused", () => {
  expect(step("the batch had nothing to learn from", [])).toBe("the batch had nothing to learn from");
  expect(step("added rule 1", ["applied_append"])).toBe("added rule 1 (1 edit)");
  expect(step("no edit could be applied", ["skipped_already_there", "skipped_already_there"])).toBe(
    "no edit could be applied (2 edits refused: already in the skill)",
  );
  expect(
    step("added rule 1", [
      "applied_append",
      "refused_leak",
      "skipped_replace_target_not_found",
      "refused_leak",
    ]),
  ).toBe("added rule 1 (1 edit, 3 refused: 2 contains a task's answer, 1 target not in the skill)");
});
