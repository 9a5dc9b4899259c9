import { expect, test } from "vitest";
import { type Habit, drawCalls, forgotten, habits, root } from "../../../test/support/reminders/corpus.ts";
import { makeCheck, type TalkActs } from "./make-reminder.ts";
import { actsOf, findReminder, isMeant, isMissed, readReminders, reminderText } from "./reminder.ts";

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

/**
 * Conversations as nights read them: in each relapse files are changed without the command, until the person says so; in the others
 * it is run unasked.
 */
function forgottenTalks(
  { relapses, others }: { readonly relapses: number; readonly others: number },
  seed: number,
): readonly TalkActs[] {
  const drawn = drawCalls(forgotten, { relapses: 0, others: (relapses + others) * 8 }, seed, {
    isMixed: false,
  });
  const actsIn = ({ tool, input }: { readonly tool: string; readonly input: unknown }) =>
    actsOf(tool, input, root);
  const write = { tool: "Write", input: { file_path: `${root}/src/cart.ts`, content: "x\n" } };
  const run = { tool: "Bash", input: { command: `cd app && ${forgotten.command} 2>&1 | tail -5` } };
  return Array.from({ length: relapses + others }, (_, at) => {
    const own = drawn.others.slice(at * 8, at * 8 + 8);
    const calls = [...own.slice(0, 4), write, ...(at < relapses ? [] : [run]), ...own.slice(4)];
    return at < relapses
      ? { calls: [...calls, run].map(actsIn), before: calls.length }
      : { calls: calls.map(actsIn) };
  });
}

test.each(habits)("a reminder made from a third of six relapses stops 60 more: $name", (habit) => {
  for (let seed = 0; seed < 20; seed += 1) {
    const made = makeCheck(talksOf(habit, 6, seed), habit.said, `w-${seed}`);
    expect(made?.check.pattern).toBe(habit.pattern);
    expect(made?.test).toEqual({
      madeFrom: 4,
      testedOn: 8,
      unit: "calls",
      relapses: 4,
      stopped: 4,
      others: 48,
      wrong: 0,
    });
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

test("a command that must run: its reminder is made from what was run after corrections, and fits where files changed without it", () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const made = makeCheck(forgottenTalks({ relapses: 6, others: 12 }, seed), forgotten.said, `w-${seed}`);
    expect(made).toEqual({
      check: { act: "finishing without", pattern: "make lint" },
      test: {
        madeFrom: 6,
        testedOn: 12,
        unit: "conversations",
        relapses: 4,
        stopped: 4,
        others: 8,
        wrong: 0,
      },
    });
    if (made === undefined) continue;
    const reminder = { ...made.check, message: forgotten.rule };
    expect(readReminders(`- ${reminderText(reminder)}\n`)).toEqual([reminder]);
    // it stops no call
    expect(findReminder([reminder], actsOf("Bash", { command: "make lint" }, root))).toBeUndefined();
  }
  const acts = (...runs: readonly string[]) => runs.flatMap((command) => actsOf("Bash", { command }, root));
  const check = { act: "finishing without", pattern: "make lint" } as const;
  expect(isMissed(check, acts("echo x > src/a.ts", "make"))).toBe(true);
  for (const runs of [["echo x > src/a.ts", "cd app && make -s lint"], ["make"], ["echo x > /tmp/a"]])
    expect(isMissed(check, acts(...runs))).toBe(false);
});

test("no command is asked for that the person didn't name, or that other conversations do without", () => {
  const talks = forgottenTalks({ relapses: 6, others: 12 }, 1);
  expect(makeCheck(talks, "Check your work before you finish.", "w")).toBeUndefined();
  const without = talks.map((talk) =>
    talk.before === undefined
      ? {
          calls: talk.calls.filter(
            (acts) => !acts.some((act) => act.kind === "running" && act.words[0] === "make"),
          ),
        }
      : talk,
  );
  expect(makeCheck(without, forgotten.said, "w")).toBeUndefined();
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
