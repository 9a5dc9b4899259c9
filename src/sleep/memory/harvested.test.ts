import { expect, test } from "vitest";
import { type Harvested, isUnread, markRead, markTried } from "./harvested.ts";

const one = { source: "codex" as const, ref: { id: "codex:a", changedAt: 5 } };

test("a conversation that was tried in vain stays unread for three tries, or until it, the reader or the miner changes", () => {
  let harvested: Harvested = {};
  for (let tries = 0; tries < 3; tries += 1) {
    expect(isUnread(harvested, one, "1 a")).toBe(true);
    // the night that tried marks it read first, as all others
    harvested = markTried(markRead(harvested, [one]), [one], { by: "1 a", before: harvested });
  }
  expect(isUnread(harvested, one, "1 a")).toBe(false);
  expect(isUnread(harvested, one, "1 b")).toBe(true);
  expect(isUnread(harvested, { ...one, ref: { ...one.ref, changedAt: 6 } }, "1 a")).toBe(true);
  const anew = markTried(harvested, [one], { by: "1 b", before: harvested });
  expect(anew.codex).toEqual({ "codex:a": { changedAt: 5, tries: 1, by: "1 b" } });
  expect(isUnread(markRead(anew, [one]), one, "1 b")).toBe(false);
});
