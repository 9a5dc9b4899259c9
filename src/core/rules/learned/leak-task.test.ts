import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildLeakIndex } from "../../guard/leak-index.ts";
import { describeLeak, findLeak } from "../../guard/leak.ts";
import type { Check } from "../../tasks/task.ts";
import type { MinedTask } from "../../ports/mined-task.ts";
import { leakTask } from "./leak-task.ts";

interface History {
  readonly about: string;
  readonly tasks: readonly (Pick<MinedTask, "kind" | "evidence"> & {
    readonly input: string;
    readonly checks: readonly Check[];
  })[];
  /** What the person would want to be learned from it. */
  readonly rules: readonly string[];
  /** What only repeats one request. */
  readonly leaks: readonly string[];
}

const histories = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../../test/support/leak/corrections.json"), "utf8"),
) as readonly History[];

const indexOf = ({ tasks }: History) =>
  buildLeakIndex(
    tasks.map(({ input, checks, ...mined }, at) =>
      leakTask({
        ...mined,
        task: { id: `m-${at}`, input, group: `talk-${at}`, checks },
        seen: [`talk-${at}`],
        outcome: "failed",
        scope: "project",
        paraphrases: [],
      }),
    ),
  );

test("corrections: of natural right rules at most 1% are refused as leaks", () => {
  const rules = histories.flatMap((history) => {
    const index = indexOf(history);
    return history.rules.map((rule) => ({ rule, leak: findLeak(rule, index) }));
  });
  const refused = rules.flatMap(({ rule, leak }) =>
    leak === undefined ? [] : `${rule}: ${describeLeak(leak)}`,
  );
  expect(histories.length).toBeGreaterThanOrEqual(20);
  expect(rules.length).toBeGreaterThanOrEqual(100);
  expect(refused.length, refused.join("\n")).toBeLessThanOrEqual(0.01 * rules.length);
});

test("what repeats one request with its names and numbers is refused all the same", () => {
  const passed = histories.flatMap((history) =>
    history.leaks.filter((rule) => findLeak(rule, indexOf(history)) === undefined),
  );
  expect(passed).toEqual([]);
});
