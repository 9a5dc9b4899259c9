import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { allowNights } from "../../../test/support/night-files.ts";
import { projectState } from "../../../test/support/project-state.ts";
import { type Habit, forgotten, habits } from "../../../test/support/reminders/corpus.ts";
import { writeRelapses } from "../../../test/support/reminders/relapsed-project.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { day, firstDay } from "../../../test/support/wishes.ts";
import { readReminders, reminderText } from "../../core/reminders/reminder.ts";
import { listWaiting } from "../../run/offer/offers.ts";
import { adopt, review, undo } from "../../run/offer/proposals.ts";
import { reviewLines } from "../../show/review-lines.ts";
import { type ChatWorld, startScriptedServer } from "../../testing/index.ts";
import { readConsent } from "../consent.ts";
import { openPlace } from "../place.ts";
import { noNights, stateFile } from "../state.ts";
import type { Wish } from "../wishes/wish.ts";
import { conversationId } from "./ingest.ts";
import type { PinnedNight } from "./pin-night.ts";
import { performNight } from "./perform-night.ts";
import { stageReminders } from "./stage-reminders.ts";

/** A person whose agent fell back into one habit. */
async function openRelapsed(habit: Habit, relapses = 6) {
  const home = await tempDir();
  const project = join(home, "shop");
  mkdirSync(project);
  const journalDir = projectState(project);
  allowNights(journalDir, { project, sources: ["claude-code"] });
  const wish = writeRelapses({ home, project }, habit, relapses);
  const said = wish.said.map((one, at) => ({
    ...one,
    conversation: conversationId({
      source: "claude-code",
      id: `claude-code:00000000-0000-4000-8000-0000000000${String(at * 2 + 1).padStart(2, "0")}`,
    }),
  }));
  const night = async (id: number, more: Partial<Wish> = {}) =>
    await stageReminders(
      {
        place: openPlace({ config: {}, cwd: project, home, env: {} }),
        consent: readConsent(journalDir),
        pinned: { id: `000${id}`, at: firstDay + (20 + id) * day } as PinnedNight,
        redactor: { redact: async (text) => ({ text, found: [] }) },
        now: () => firstDay + (20 + id) * day,
      },
      [{ ...wish, said, ...more }],
    );
  return {
    home,
    project,
    journalDir,
    night,
    wish: { ...wish, said },
    said,
    file: join(journalDir, "sleep/reminders.md"),
  };
}

test.each(habits)(
  "a rule that relapsed gets a reminder, which is adopted and undone like a rule: $name",
  async (habit) => {
    const { project, journalDir, night, file, wish } = await openRelapsed(habit);
    const {
      proposals: [staged],
      reminded,
    } = await night(1);
    expect([...reminded]).toEqual([wish.id]);
    expect(staged?.rules.map(({ text, label }) => [text, label])).toEqual([
      [
        reminderText({
          act: habit.pattern.endsWith("/") ? "writing" : "running",
          pattern: habit.pattern,
          message: habit.rule,
        }),
        expect.stringMatching(/^would have stopped 4 of 4 relapses, and 0 of 80 other calls$/),
      ],
    ]);
    const { review: shown } = await review({ cwd: project });
    const lines = reviewLines(shown as NonNullable<typeof shown>, 120).join("\n");
    if (habit === habits[0])
      expect(lines).toMatchInlineSnapshot(`
        "Proposal 0001-reminders-md-df94dd
        1 rule for reminders.md (for the plugin's hook), night 0001

        1. 88959f42  would have stopped 4 of 4 relapses, and 0 of 80 other calls
          add     Stop before running \`npm install\`: Use pnpm here, never npm.
          from    claude-code, 2026-11-01 "No, never npm install here. Use pnpm."
                  claude-code, 2026-11-03 "No, never npm install here. Use pnpm."
                  claude-code, 2026-11-05 "No, never npm install here. Use pnpm."
                  claude-code, 2026-11-07 "No, never npm install here. Use pnpm."
                  claude-code, 2026-11-09 "No, never npm install here. Use pnpm."
                  claude-code, 2026-11-11 "No, never npm install here. Use pnpm."
          tested  made from 4 conversations, tested on 8 others
                  a reminder, not a wall: another spelling passes; the plugin's hook checks it"
      `);
    expect(existsSync(file)).toBe(false);
    await adopt({ cwd: project });
    expect(readReminders(readFileSync(file, "utf8"))).toHaveLength(1);
    expect(listWaiting(journalDir)).toEqual([]);
    // it is in the file, and nothing was said since
    expect(await night(2)).toEqual({ proposals: [], reminded });
    await undo({ cwd: project });
    expect(existsSync(file)).toBe(false);
  },
);

test("a command that must run is asked for at the end of a conversation, tested on conversations that changed files", async () => {
  const { project, night, file } = await openRelapsed(forgotten, 8);
  const {
    proposals: [staged],
  } = await night(1);
  const text = "Stop before finishing without `make lint`: Run `make lint` before you finish.";
  expect(staged?.rules.map((rule) => [rule.text, rule.label])).toEqual([
    [text, "would have stopped 6 of 6 relapses, and 0 of 6 other conversations that changed files"],
  ]);
  await adopt({ cwd: project });
  expect(readReminders(readFileSync(file, "utf8"))).toMatchObject([
    { act: "finishing without", pattern: "make lint" },
  ]);
  await undo({ cwd: project });
  expect(existsSync(file)).toBe(false);
});

test("nothing is offered where the rule wasn't adopted, was not said again, or the person rejected the reminder", async () => {
  const [habit] = habits as [Habit];
  const { project, night, said } = await openRelapsed(habit);
  const none = { proposals: [], reminded: new Set() };
  expect(await night(1, { state: { kind: "open", at: 0, reason: "" } })).toEqual(none);
  expect(await night(1, { state: { kind: "adopted", at: firstDay + 30 * day, reason: "" } })).toEqual(none);
  const {
    proposals: [staged],
  } = await night(1);
  const [rule] = staged?.rules ?? [];
  // offered already, and not decided on
  expect((await night(2)).proposals).toEqual([]);
  await review({ cwd: project, reject: { [rule?.id ?? ""]: "Not that way." } });
  const later = said.map((one, at) => (at === 5 ? { ...one, at: firstDay + 25 * day } : one));
  // other words may help then
  expect(await night(8, { said: later })).toEqual(none);
});

test("a whole night offers the reminder and remembers that it did", async () => {
  const [habit] = habits as [Habit];
  const { home, project, journalDir, wish } = await openRelapsed(habit);
  await stateFile(journalDir).write({ ...noNights, wishes: [wish] });
  const world: ChatWorld = { reply: () => ({ text: '{ "tasks": [] }' }) };
  const server = await startScriptedServer({ seed: 1, world });
  onTestFinished(() => server.close());
  const ended = await performNight({
    config: {
      target: "scripted/a",
      optimizer: "scripted/b",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: { "scripted/a": { input: 0.1, output: 0.1 }, "scripted/b": { input: 0.1, output: 0.1 } },
      sleep: { gate: "off", lookback: "all" },
    },
    cwd: project,
    home,
    env: {},
  });
  expect(ended.sentence).toBe("A rule proposed: 1 asked for by you.");
  expect(ended.proposals.map(({ rules }) => rules.map(({ text }) => text))).toEqual([
    ["Stop before running `npm install`: Use pnpm here, never npm."],
  ]);
  expect(stateFile(journalDir).read()?.nights.at(-1)?.proposals).toEqual([ended.proposals[0]?.id]);
});
