import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import { caseText } from "../../core/judge/judge-prompt.ts";
import type { RecordedTalk } from "../../core/ports/mined-task.ts";
import { endingPerformance, talkTask } from "./recorded-talk.ts";

interface Labeled extends Pick<RecordedTalk, "before" | "input" | "correction"> {
  readonly endings: readonly {
    readonly answer: string;
    readonly did?: readonly string[];
    /** Whether the person would have been spared the correction, as we see it. */
    readonly spares: boolean;
    /** The judge's question and the reply of a real model. */
    readonly user: string;
    readonly reply: { readonly score: number };
  }[];
}

const fixture = join(import.meta.dirname, "../../../test/fixtures/real-run/talks/endings.json");

test("a real model tells endings that the person would have corrected from those they would not", () => {
  const talks = JSON.parse(readFileSync(fixture, "utf8")) as readonly Labeled[];
  const found = talks.flatMap(({ endings, ...talk }, at) =>
    endings.map(({ spares, user, reply, ...ending }) => {
      const whole = { ...talk, commit: "c".repeat(40), recorded: ending, corrected: ending };
      const task = talkTask(minedTask(`t${at}`, talk.input, ["claude-code:a"], { talk: whole }));
      if (task === undefined) throw new Error("a talk is a task");
      const rubric = JSON.parse(JSON.stringify(task.checks?.[0]?.value)) as string;
      const asked = caseText({ task, performance: endingPerformance(ending), rubric });
      expect(asked, "a changed question needs a new recording").toBe(user);
      return reply.score >= 1 === spares;
    }),
  );
  // of an amended commit it couldn't see that there was one before
  expect([found.length, found.filter((isRight) => isRight).length]).toEqual([20, 19]);
});
