import { expect, test } from "vitest";
import { type Habit, drawCalls, habits, root } from "../../../test/support/reminders/corpus.ts";
import { makeCheck, type TalkActs } from "./make-reminder.ts";
import { actsOf, findReminder, isMeant, readReminders, reminderText } from "./reminder.ts";

/** Conversations with the habit's relapses, one each behind other calls, and as many without. */
function talksOf(habit: Habit, count: number, seed: number): readonly TalkActs[] {
  const { relapses, others } = drawCalls(habit, { relapses: count, others: count * 20 }, seed);
  const read = (calls: typeof others) => calls.map(({ tool, input }) => actsOf(tool, input, root));
  return relapses.flatMap((call, at) => {
    const own = others.slice(at * 20, at * 20 + 20);
    return [
      {
        conversation: `relapse ${at}`,
        calls: read([...own.slice(0, 5), call, ...own.slice(5, 8)]),
        before: 6,
      },
      { calls: read(own.slice(8)) },
    ];
  });
}

test.each(habits)("a reminder made from a third of six relapses stops 60 more: $name", (habit) => {
  for (let seed = 0; seed < 20; seed += 1) {
    const made = makeCheck(talksOf(habit, 6, seed), habit.said, `w-${seed}`);
    expect(made?.check.pattern).toBe(habit.pattern);
    expect(made?.test).toEqual({ madeFrom: 4, testedOn: 8, relapses: 4, stopped: 4, others: 48, wrong: 0 });
    if (made === undefined) continue;
    const reminder = { ...made.check, message: habit.rule };
    expect(readReminders(`- ${reminderText(reminder)}\n`)).toEqual([reminder]);
    const { relapses, others } = drawCalls(habit, { relapses: 60, others: 2000 }, 1000 + seed);
    const stops = ({ tool, input }: (typeof others)[number]) =>
      findReminder([reminder], actsOf(tool, input, root)) !== undefined;
    expect(relapses.filter(stops).length / relapses.length).toBeGreaterThanOrEqual(0.95);
    expect(others.filter(stops).length / others.length).toBeLessThanOrEqual(0.005);
  }
});

test("nothing is offered where no check tells the relapses from the rest, or where too little is left to test it on", () => {
  const [habit] = habits as [Habit];
  const talks = talksOf(habit, 9, 1);
  // what the person objected to isn't in the calls
  const unrelated = talks.map((talk) =>
    talk.before === undefined ? talk : { ...talk, calls: talk.calls.slice(0, 5), before: 5 },
  );
  expect(makeCheck(unrelated, "Answer in German.", "w")).toBeUndefined();
  expect(makeCheck(talks.slice(0, 4), habit.said, "w")).toBeUndefined();
  expect(makeCheck([], "", "w")).toBeUndefined();
});

test("a command is found where a shell would run it, and nowhere else", () => {
  for (const { relapses, lookalikes, pattern } of habits) {
    const act = pattern.endsWith("/") ? "writing" : "running";
    const stops = (done: (typeof relapses)[number]) =>
      ("run" in done
        ? actsOf("Bash", { command: done.run }, root)
        : actsOf("Write", { file_path: done.write }, root)
      ).some((one) => isMeant({ act, pattern }, one));
    expect(relapses.filter((done) => !stops(done))).toEqual([]);
    expect(lookalikes.filter(stops)).toEqual([]);
  }
});

test("a broken line doesn't matter to the others, and any input is read in time linear in its length", () => {
  const lines = [
    "# Reminders",
    "- Stop before running `: x",
    "- Stop before running `rm -rf`: Ask first.",
    "- {",
  ];
  const reminders = readReminders(lines.join("\n"));
  expect(reminders).toEqual([{ act: "running", pattern: "rm -rf", message: "Ask first." }]);
  expect(findReminder(reminders, actsOf("Bash", { command: "rm -fr x" }, root))).toBeDefined();
  for (const part of [
    "(",
    "'",
    '"',
    "\\",
    "<<",
    "<<a\n",
    ">",
    "&",
    "`",
    "$(",
    "- ",
    "sudo ",
    "a=",
    "bash -c '",
  ]) {
    actsOf("Bash", { command: part.repeat(200_000) }, root);
    expect(readReminders(`- Stop before running \`${part.repeat(200_000)}`)).toEqual([]);
  }
  for (const input of [undefined, null, 1, [], { command: 1 }, { command: [1, null] }, { path: {} }])
    expect(() => actsOf("write", input, root)).not.toThrow();
});
