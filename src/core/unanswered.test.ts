import { expect, test } from "vitest";
import { InfraError } from "./errors.ts";
import { unanswered } from "./unanswered.ts";

test("who does not answer, what was answered, and what is wrong with a server are said apart", () => {
  const silent = new InfraError("transport", "connect ECONNREFUSED 127.0.0.1:1", { hint: "Start it." });
  expect(unanswered("a/m", "target", silent)).toMatchObject({
    code: "too-many-pending",
    message: "a/m (target) doesn't answer: connect ECONNREFUSED 127.0.0.1:1",
    hint: "Start it.",
  });
  const throttled = new InfraError("throttle", "HTTP 429: slow down", { status: 429 });
  expect(unanswered("a/m", "optimizer", throttled)).toMatchObject({
    message: "a/m (optimizer) answers HTTP 429: slow down",
    hint: expect.stringContaining("once the provider answers"),
  });
  const missing = {
    status: 404,
    fault: "model-missing",
    instead: "a/n",
    hint: "`pull m` loads it.",
  } as const;
  expect(unanswered("a/m", "judge", new InfraError("refused", 'h has no model "m".', missing))).toMatchObject(
    {
      code: "model-missing",
      exitCode: 2,
      message: 'a/m (judge): h has no model "m".',
      hint: "Give --judge a/n; `pull m` loads it.",
    },
  );
});
