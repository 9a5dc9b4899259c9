import { lookedRule } from "../../../../test/support/looked.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { memoryDocument } from "../../../../test/support/night-input.ts";
import { taskEvidence } from "../../../../test/support/task-evidence.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../../test/support/type-whetstone.ts";
import { isWithoutEffect, whyLeftOut } from "../../../core/offer/without-effect.ts";
import type { TaskEvidence } from "../../../core/rules/evidence/toss.ts";
import type { LearnedRule } from "../../../core/rules/learned/learned-rule.ts";
import { listWaiting, nightRun, openReview } from "../../../run/offer/offers.ts";
import { adopt } from "../../../run/offer/proposals.ts";
import { readOffer } from "../../../run/offer/read-proposals.ts";
import { stageProposal } from "../../../run/offer/stage.ts";
import { reviewCommand } from "./offer-commands.ts";
import { sharedFolder } from "../../../config/state-folder.ts";

const before = "# House\n";

const rule = (
  id: string,
  text: string,
  evidence: readonly TaskEvidence[],
  status: LearnedRule["status"] = "stated",
): LearnedRule => ({
  id,
  document: "memory:CLAUDE.md",
  edit: { op: "add", text },
  origin: status === "open" ? "learned" : "stated",
  provenance: { conversations: ["codex:a"], tasks: [] },
  evidence,
  status,
  reason: "",
});

const unmeasured = rule("aaaa1111aaaa", "Use pnpm.", []);
const works = rule("bbbb2222bbbb", "Dates are ISO.", taskEvidence(4, 1, 0));
const nothing = rule("cccc3333cccc", "Write clear commit messages.", taskEvidence(4, 0, 0));
const less = rule("dddd4444dddd", "Name variables for money clearly.", taskEvidence(2, 0, 1));
const once = rule("eeee5555eeee", "Say please.", taskEvidence(1, 0, 0));

/** A project whose night proposed these rules. */
async function openNight(rules: readonly LearnedRule[], gate: "on" | "off" = "on") {
  const dir = await tempDir({ "CLAUDE.md": before });
  const journalDir = sharedFolder(dir);
  const review = await stageProposal({
    journalDir,
    night: "0001",
    document: memoryDocument(before, join(dir, "CLAUDE.md")),
    gate,
    rules: rules.map(lookedRule),
    rejected: [],
  });
  const live = () => readFileSync(join(dir, "CLAUDE.md"), "utf8");
  return { dir, journalDir, id: review?.id ?? "", live };
}

const block = (...rules: readonly LearnedRule[]) =>
  [
    `${before}\n<!-- whetstone:learned:start -->`,
    ...rules.map(({ edit }) => `- ${edit.op === "delete" ? "" : edit.text}`),
    "<!-- whetstone:learned:end -->\n",
  ].join("\n");

test.each([
  ["nothing on four tasks", true, taskEvidence(4, 0, 0)],
  ["everything passes anyway", true, taskEvidence(4, 1, 1)],
  ["less than without it", true, taskEvidence(2, 0, 1)],
  ["one task", false, taskEvidence(1, 0, 0)],
  ["no task", false, []],
  ["a gain", false, [...taskEvidence(1, 1, 0), ...taskEvidence(1, 0, 0)]],
])("%s: measured without effect %s", async (_, expected, evidence) => {
  const { journalDir, id } = await openNight([rule("aaaa1111aaaa", "Use pnpm.", evidence)]);
  expect(openReview(nightRun(journalDir, id)).rules.map(isWithoutEffect)).toEqual([expected]);
});

test("what works or is proven is never without effect", () => {
  const evidence = [1, 2, 3].map((task) => ({
    kind: "tosses" as const,
    task: `t${task}`,
    night: "1",
    rollouts: 3,
    with: 0,
    without: 0,
  }));
  expect(isWithoutEffect({ status: "stated", works: false, evidence })).toBe(true);
  expect(isWithoutEffect({ status: "stated", works: true, evidence })).toBe(false);
  expect(isWithoutEffect({ status: "proven", works: false, evidence })).toBe(false);
});

const wish = { id: "w-1", sentence: "", said: [], wordings: [], sameAs: [] };

test.each([
  ["two conversations", [["use pnpm"], ["pnpm!"]], {}, undefined],
  ["one conversation", [["use pnpm", "pnpm!"]], {}, "stated in one conversation"],
  ["questions", [["use pnpm"], ["should we use pnpm?"]], {}, "stated in one conversation"],
  [
    "words of somebody else",
    [["my boss says pnpm"], ["pnpm, she says"]],
    { own: false },
    "not your own request",
  ],
] as const)("a wish that was not measured, in %s", async (_, talks, more, why) => {
  const { journalDir, id } = await openNight([unmeasured]);
  const [offered] = openReview(nightRun(journalDir, id)).rules;
  const conversations = talks.map((words, at) => ({ id: `c-${at}`, source: "codex", date: "", words }));
  const stated = { ...offered!, wish: { ...wish, ...more }, provenance: { conversations, tasks: [] } };
  expect(whyLeftOut(stated)).toBe(why);
  expect(whyLeftOut({ ...stated, works: true })).toBeUndefined();
});

test("what was measured without effect is not adopted by itself, says so first, and stays on offer", async () => {
  const { dir, journalDir, id, live } = await openNight([unmeasured, works, nothing, less, once]);
  const left = "2 left out: measured without effect (cccc3333, dddd4444).";
  const { decisions, change } = readOffer(nightRun(journalDir, id));
  expect(Object.keys(decisions)).toEqual([unmeasured.id, works.id, once.id]);
  expect(change).toMatchObject({ kind: "ready", sentence: expect.stringContaining(left) });
  const shown = await typeWhetstone(dir, ["review", id]);
  expect(shown.out.match(/left out +measured without effect, unless you accept it/g)).toHaveLength(2);
  expect(shown.out).not.toContain("+- Write clear commit messages.");

  const { lines } = await adopt({ cwd: dir, run: id, unproven: true });
  expect(lines[0]).toBe(`3 of 5 rules adopted, ${left}`);
  expect(live()).toBe(block(unmeasured, works, once));
  // nobody dropped it: a later night may offer it again
  const now = openReview(nightRun(journalDir, id));
  expect(now.state).toBe("adopted");
  expect(now.rules.filter(({ receipt }) => receipt !== undefined)).toHaveLength(3);
  expect(now.rules.flatMap(({ decision }) => decision ?? [])).toEqual([]);
});

test("a name takes what was left out", async () => {
  const { dir, id, live } = await openNight([unmeasured, nothing]);
  const { lines } = await adopt({ cwd: dir, run: id, accept: ["aaaa", "cccc"] });
  expect(lines.join("\n")).not.toContain("left out");
  expect(live()).toBe(block(unmeasured, nothing));
});

test.each(["on", "off"] as const)(
  "where everything is left out nothing is written, and the line that is named takes it (gate %s)",
  async (gate) => {
    const rules = [nothing, gate === "off" ? { ...less, origin: "learned" as const } : less];
    const { dir, id, live, journalDir } = await openNight(rules, gate);
    const refused = await typeWhetstone(dir, ["adopt", id]);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(
      `No rule of proposal ${id} was adopted: 2 left out: measured without effect (cccc3333, dddd4444).`,
    );
    expect(live()).toBe(before);
    expect(listWaiting(journalDir)).toHaveLength(1);
    const typed = /`whetstone (adopt [^`]*)`/.exec(refused.err)?.[1] ?? "";
    expect(await typeWhetstone(dir, typed.split(" "))).toMatchObject({ code: 0 });
    expect(live()).toBe(block(nothing, less));
  },
);

test("at a terminal it is asked for twice", async () => {
  const { dir, id, live } = await openNight([unmeasured, nothing]);
  const [asked, answers] = [[] as string[], ["a", "a", "n", "d", "y"]];
  const prompt = {
    ask: async (question: string) => {
      asked.push(question);
      return answers.shift();
    },
    edit: (text: string) => text,
  };
  const { io } = capturedIo(dir);
  const flags = { cwd: dir, run: id, json: false, edit: [], same: [], reject: [] };
  await reviewCommand(flags, { ...io, prompt });
  expect(asked[2]).toContain("(0 of 12 → 0 of 12 on 4 of your tasks). Accept it anyway?");
  expect(live()).toBe(block(unmeasured));
});
