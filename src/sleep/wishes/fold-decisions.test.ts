import { expect, test } from "vitest";
import { day, firstDay, saidOn, wishOf } from "../../../test/support/wishes.ts";
import { type WishDecision, expireWishes, foldDecisions } from "./fold-decisions.ts";
import type { Wish } from "./wish.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { wishRules } from "./wish-rules.ts";

const wish = wishOf("Use pnpm.", { said: [saidOn(1, "use pnpm"), saidOn(3, "pnpm, not npm")] });
const decided = (
  deed: WishDecision["deed"],
  nth: number,
  more: Partial<WishDecision> = {},
): WishDecision => ({
  wish: wish.id,
  document: "memory:CLAUDE.md",
  night: `000${nth}`,
  at: firstDay + nth * day,
  deed,
  ...more,
});
const after = (own: Wish, ...decisions: readonly WishDecision[]) => foldDecisions([own], decisions)[0];

test("what is dropped sleeps until it is said again, and no older conversation that is read later wakes it", () => {
  const dropped = after(wish, decided("dropped", 4));
  expect(dropped?.state).toMatchObject({ kind: "snoozed", reason: "You dropped it." });
  const older = { ...wish, said: [saidOn(0, "pnpm please"), ...wish.said] };
  expect(after(older, decided("dropped", 4))?.state.kind).toBe("snoozed");
  const again = { ...wish, said: [...wish.said, saidOn(6, "pnpm!")] };
  expect(after(again, decided("dropped", 4))?.state).toMatchObject({
    kind: "open",
    reason: "You said it again.",
  });
  // dropped once more
  expect(after(again, decided("dropped", 4), decided("dropped", 7))?.state.kind).toBe("snoozed");
});

test("a rejection holds whatever is said and however it is worded, until the person takes it back", () => {
  const again = { ...wish, said: [...wish.said, saidOn(9, "pnpm!")] };
  const rejected = after(again, decided("rejected", 4, { reason: "Not here." }), decided("shown", 5));
  expect(rejected?.state).toMatchObject({ kind: "rejected", reason: "Not here." });
  expect(rejected && after(rejected, decided("shown", 4))?.state).toMatchObject({
    kind: "open",
    reason: "You took that back.",
  });
  // nobody deletes a decision by deleting a proposal's folder
  expect(rejected && after(rejected)?.state.kind).toBe("rejected");
});

test("what is adopted in one file is adopted, and open again when it is undone", () => {
  const adopted = after(wish, decided("shown", 2), decided("adopted", 4), decided("shown", 4));
  expect(adopted?.state).toMatchObject({ kind: "adopted", at: firstDay + 4 * day });
  expect(adopted && after(adopted, decided("shown", 4))?.state.kind).toBe("open");
  const found = {
    ...wish,
    state: { kind: "adopted", at: 0, reason: "CLAUDE.md says it already.", quote: "pnpm" } as const,
  };
  expect(after(found)).toBe(found);
});

test("decisions from before a wish turned count no more; later ones do, and what was chosen before isn't written again", () => {
  const earlier = [decided("adopted", 4, { text: "pnpm only." })];
  const turnedAt = firstDay + 6 * day;
  const turned: Wish = {
    ...wish,
    turnedAt,
    state: { kind: "open", at: turnedAt, reason: "You had to say it." },
  };
  expect(after(turned, ...earlier)).toBe(turned);
  const adopted = after(turned, ...earlier, decided("adopted", 8));
  expect(adopted).toMatchObject({
    state: { kind: "adopted", at: firstDay + 8 * day },
    wordings: wish.wordings,
  });
  expect(adopted && after(adopted, ...earlier, decided("shown", 8))?.state.reason).toBe(
    "You took that back.",
  );
  expect(after(turned, ...earlier, decided("rejected", 8))?.state.kind).toBe("rejected");
});

test("what is adopted in one agent's file may be proposed for another's, until a person has decided on that", () => {
  const both = { ...wish, documents: ["memory:AGENTS.md", "memory:CLAUDE.md"] };
  const other = { document: "memory:AGENTS.md" };
  const proposedFor = (...decisions: readonly WishDecision[]) => {
    const own = foldDecisions([both], decisions);
    return both.documents.filter(
      (document) => wishRules(own, { id: document, skill: singleFileSkill("") }).length > 0,
    );
  };
  expect(proposedFor()).toEqual(both.documents);
  expect(proposedFor(decided("adopted", 4))).toEqual(["memory:AGENTS.md"]);
  expect(proposedFor(decided("adopted", 4), decided("shown", 4, other))).toEqual(["memory:AGENTS.md"]);
  for (const deed of ["adopted", "rejected", "dropped"] as const)
    expect(proposedFor(decided("adopted", 4), decided(deed, 5, other))).toEqual([]);
});

test("words that the person chose keep what is known of the wish", () => {
  const measured = [{ ...wish.wordings[0]!, by: "proposed" as const, from: ["c-1"] }];
  const [wording, ...others] =
    after({ ...wish, wordings: measured }, decided("adopted", 4, { text: "pnpm only." }))?.wordings ?? [];
  expect(wording).toEqual({ ...measured[0], text: "pnpm only.", by: "chosen" });
  expect(others).toEqual(measured);
});

test("two wishes become one by a person's word: everything of both, the id of the other", () => {
  const other = wishOf("Use pnpm here.", {
    id: "w-000000000002",
    said: [saidOn(2, "我们用 pnpm")],
    tasks: ["t2"],
  });
  const merged = foldDecisions([wish, other], [{ ...decided("same", 4), wish: other.id, as: wish.id }]);
  expect(merged).toMatchObject([
    { id: wish.id, tasks: ["t2"], absorbed: [other.id], state: { kind: "open" } },
  ]);
  expect(merged[0]?.said.map(({ conversation }) => conversation)).toEqual(["c-1", "c-2", "c-3"]);
  expect(foldDecisions(merged, [{ ...decided("same", 4), wish: other.id, as: wish.id }])).toEqual(merged);
});

test("words are forgotten in time; that and when something was said is not", () => {
  const [kept] = expireWishes([wish], { now: firstDay + 3 * day, days: 2 });
  expect(kept?.said.map(({ text }) => text)).toEqual(["", "pnpm, not npm"]);
  expect(kept?.said.map(({ at }) => at)).toEqual(wish.said.map(({ at }) => at));
});

test("words that took a wish back are forgotten with the others, in the reason too", () => {
  const reason = 'You took it back on 4 November 2026: "forget pnpm".';
  const state = { kind: "withdrawn", at: firstDay + 4 * day, reason } as const;
  const gone: Wish = { ...wish, state, against: [saidOn(4, "forget pnpm")] };
  const at = (nth: number, of: Wish) => expireWishes([of], { now: firstDay + nth * day, days: 2 })[0] ?? of;
  const early = at(4, gone);
  expect([early.against?.[0]?.text, early.state.reason]).toEqual(["forget pnpm", reason]);
  // nothing that was said for it is left by then
  const late = at(7, early);
  expect(JSON.stringify(late)).not.toContain("forget pnpm");
  expect(late.state).toMatchObject({
    kind: "withdrawn",
    reason: expect.stringMatching(/^You took it back on .*\d\.$/),
  });
});
