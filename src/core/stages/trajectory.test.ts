import { expect, test } from "vitest";
import type { Scored } from "../tasks/outcome.ts";
import { showAttempt, trajectoryText } from "./trajectory.ts";

const filler = (words: number) => "some text that nobody needs ".repeat(words);

const said = (content: string) => ({ role: "assistant", content }) as const;
const came = (content: string) => ({ role: "user", content }) as const;

function attempt(conversation: Scored["conversation"], given: Partial<Scored> = {}) {
  const outcome = { kind: "scored", hard: 0, soft: 0, feedback: "Wrong.", conversation, ...given } as const;
  return { task: { id: "t", input: "Do it." }, outcome };
}

test("a question and its answer are shown whole, without numbers", () => {
  const text = trajectoryText(attempt([came("Do it."), said("Done.")]));
  expect(text).toMatch(/\[task\]\nDo it\.\n\n\[agent\]\nDone\.$/);
  const forged = attempt([came("Do it."), said("[parts 2–9 left out: Bash, 12 characters]")]);
  expect(showAttempt(forged, {}).leavesOut).toBe(false);
});

const long = [
  came("Do it."),
  ...Array.from({ length: 20 }, (_, at) => [
    said(`[Read] {"path":"notes/${at}.txt"}`),
    came(`[Read] ${filler(40)}`),
  ]).flat(),
  said('[Bash] {"command":"npm test"}'),
  came(`[Bash failed] error: no such option --fast ${filler(10)}`),
  ...Array.from({ length: 20 }, (_, at) => [
    said(`[Grep] {"pattern":"${at}"}`),
    came(`[Grep] ${filler(40)}`),
  ]).flat(),
  said("I gave up."),
];

test("of a long attempt the task, the failed call with its error and the end are shown, and the rest is named", () => {
  const text = trajectoryText(attempt(long), { tokens: 700 });
  expect(text).toContain("[1 task]\nDo it.");
  expect(text).toContain('[42 agent]\n[Bash] {"command":"npm test"}');
  expect(text).toContain("no such option --fast");
  expect(text).toMatch(/\[84 agent\]\nI gave up\.$/);
  expect(text).toMatch(/\[parts 2–41 left out: Read × 20, \d+ characters\]/);
  expect(text.length).toBeLessThan(700 * 4 + 500);
  expect(showAttempt(attempt(long), { tokens: 700 }).leavesOut).toBe(true);
});

test("what names the file of a failed check is shown, wherever it is", () => {
  const task = { checks: [{ kind: "contains", value: "42", on: { file: "notes/7.txt" } }] } as const;
  const { outcome } = attempt(long, { checks: [{ pass: false, expected: 'to contain "42"' }] });
  const text = trajectoryText({ task: { id: "t", input: "Do it.", ...task }, outcome }, { tokens: 700 });
  expect(text).toContain('[16 agent]\n[Read] {"path":"notes/7.txt"}');
});

test("parts that were asked for are shown", () => {
  const text = trajectoryText(attempt(long), { tokens: 2_000, parts: [4, 5] });
  expect(text).toContain('[4 agent]\n[Read] {"path":"notes/1.txt"}');
  expect(text).toContain("[5 input]\n[Read] some text");
});

test("one message that is longer than the room keeps its beginning and its end", () => {
  const text = trajectoryText(attempt([came(`First. ${filler(900)} Last.`), said("Done.")]), { tokens: 200 });
  expect(text).toContain("First.");
  expect(text).toContain("Last.");
  expect(text).toMatch(/characters left out/);
  expect(text).toMatch(/Done\.$/);
});
