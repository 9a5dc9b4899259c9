import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import type { RunEvent } from "../../core/events.ts";
import { nothingMeasured } from "../../core/rehearse/measured-models.ts";
import { forgetReplies, keepReplies, timeReplies, withTimed } from "./timed-replies.ts";

const models = {
  target: "house/small",
  optimizer: "house/large",
  judge: "house/small",
  miner: "house/large",
};
const run = { models, hosts: { "house/small": "10.0.0.7:8000" }, journalDir: "/here" };
const small = "house/small at 10.0.0.7:8000";
const row = { model: small, role: "target", journal: "/here", replies: 1, ms: 3000, ownMs: 3000 } as const;

function ownState() {
  const folder = temporaryDirectory("replies");
  const before = process.env["WHETSTONE_STATE"];
  process.env["WHETSTONE_STATE"] = folder.path;
  return {
    table: join(folder.path, "replies.json"),
    [Symbol.dispose]() {
      process.env["WHETSTONE_STATE"] = before;
      folder[Symbol.dispose]();
    },
  };
}

const known = (of = run) => withTimed(nothingMeasured, of);

test("replies in one project time those of the same server and model in another, not their lengths", async () => {
  using state = ownState();
  expect(known().timed).toEqual({});
  await keepReplies([{ ...row, outputTokens: 40 }]);
  expect(statSync(state.table).mode & 0o777).toBe(0o600);
  expect(known().timed?.target).toEqual({ replies: 1, ms: 3000, written: 40, outputTokens: 40 });
  const elsewhere = known({ ...run, journalDir: "/there" }).timed;
  expect(elsewhere?.target).toEqual({ replies: 1, ms: 3000, written: 40, outputTokens: undefined });
  // a judge that nobody has heard yet is as fast as its model was as the target
  expect(elsewhere?.judge).toEqual({ replies: 1, ms: 3000, written: 40, outputTokens: undefined });
  expect(elsewhere?.optimizer).toBeUndefined();
  expect(known({ ...run, hosts: { "house/small": "10.0.0.8:8000" } }).timed).toEqual({});
});

test("where calls wait for each other, only the server's own time counts", async () => {
  using _ = ownState();
  const timer = timeReplies(run);
  const end = (at: number, ms: number, from = "provider") =>
    timer.add({ type: "unit-end", role: "target", from, at, ms, cost: { calls: 1 } } as unknown as RunEvent);
  // four at once at a server that takes a second for each
  for (const nth of [1, 2, 3, 4]) end(1000 * nth, 1000 * nth);
  end(9000, 5000, "journal");
  expect(timer.rows()).toEqual([{ ...row, replies: 4, ms: 10_000, ownMs: 4000 }]);
  await keepReplies(timer.rows());
  expect(known().timed?.target?.ms).toBe(2500);
  await keepReplies([], { [small]: 1 });
  expect(known().timed?.target?.ms).toBe(1000);
  expect(known().slots).toEqual(new Map([["house/small", 1]]));
});

test("older replies fade", async () => {
  using _ = ownState();
  await keepReplies([{ ...row, replies: 4000, ms: 4_000_000, ownMs: 4_000_000 }]);
  await keepReplies([{ ...row, replies: 400, ms: 1_200_000, ownMs: 1_200_000 }]);
  expect(known().timed?.target?.ms).toBe(2000);
});

test("a damaged table is an empty one, and a forgotten project leaves it", async () => {
  using state = ownState();
  await forgetReplies("/here");
  expect(existsSync(state.table)).toBe(false);
  writeFileSync(state.table, '{"v":1,"replies":[{"model":3}]}');
  expect(known().timed).toEqual({});
  await keepReplies([row, { ...row, journal: "/there", ms: 5000 }]);
  await forgetReplies("/here");
  expect(known().timed?.target?.ms).toBe(5000);
});
