import { expect, test } from "vitest";
import { ask } from "../../../test/support/edit-run.ts";
import { firstBar, lookPart, payOf } from "../gate/claim/account.ts";
import type { Task } from "../tasks/task.ts";
import type { AskedRow } from "./task-accounts.ts";

const goods = ["oil paint", "copper kettles", "pickled lemons", "garden shears", "wool socks", "old maps"];
/** Long enough to have near-duplicates. */
const tasksOf = (count: number, { from = 0, more = "" } = {}): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `t${from + at}`,
    input: `From the list of day ${from + at}: which shelf do the ${goods[at % goods.length]} of this sender go to today?${more}`,
    answers: ["A"],
  }));

test("every command spends from one account: the k-th text on a file pays the k-th part", () => {
  const earlier: AskedRow[] = [];
  const tasks = tasksOf(12);
  expect(ask(earlier, { id: "a", tasks })).toMatchObject({ read: 1, look: 1, fresh: 12, share: firstBar(1) });
  const second = ask(earlier, { id: "b", tasks });
  expect(second).toMatchObject({ read: 2, look: 1, fresh: 0, worse: expect.closeTo(firstBar(1), 12) });
  expect(second.share).toBeCloseTo(lookPart(1) * payOf(0.4), 12);
  // the same two texts again are no third question, but looks at them share one bar
  const again = ask(earlier, { id: "b", tasks });
  expect(again).toMatchObject({ read: 2, look: 2 });
  expect(again.share).toBeCloseTo(lookPart(2) * payOf(0.4), 12);
  expect(ask(earlier, { id: "c", tasks }).read).toBe(3);
});

test("near-duplicates of tasks are the same tasks", () => {
  const earlier: AskedRow[] = [];
  ask(earlier, { id: "a", tasks: tasksOf(12) });
  expect(ask(earlier, { id: "b", tasks: tasksOf(12, { more: " Please." }) })).toMatchObject({
    read: 2,
    fresh: 0,
  });
  expect(ask(earlier, { id: "c", tasks: tasksOf(12, { more: " Please, thanks." }) })).toMatchObject({
    read: 3,
  });
  // the journal keeps no word of them
  expect(JSON.stringify(earlier)).not.toMatch(/shelf|kettles/);
  expect(ask(earlier, { id: "d", tasks: tasksOf(12, { from: 100 }) })).toMatchObject({ read: 1, fresh: 12 });
});

test("new tasks refill the account by their share, and only where they are read", () => {
  const earlier: AskedRow[] = [];
  ask(earlier, { id: "a", tasks: tasksOf(9) });
  const grown = ask(earlier, { id: "b", tasks: tasksOf(12) });
  expect(grown).toMatchObject({ read: 2, fresh: 3 });
  expect(grown.share).toBeCloseTo(lookPart(1) * (0.75 * payOf(0.4) + 0.25 * payOf(1)), 12);
  const unread = ask(earlier, { id: "c", tasks: tasksOf(9), file: tasksOf(40) });
  expect(unread.share).toBeCloseTo(lookPart(1) * payOf(0.4), 12);
});

test("a part of a file has no account of its own", () => {
  const earlier: AskedRow[] = [];
  const file = tasksOf(30);
  ask(earlier, { id: "a", tasks: file.slice(0, 10), file });
  expect(ask(earlier, { id: "b", tasks: file.slice(10, 20), file })).toMatchObject({ read: 2 });
});

test("a text that didn't change spends nothing on a new model", () => {
  const earlier: AskedRow[] = [];
  const tasks = tasksOf(12);
  ask(earlier, { id: "a", tasks });
  const first = ask(earlier, { id: "b", text: "text", tasks });
  const elsewhere = ask(earlier, { id: "b", text: "text", target: "other", tasks });
  expect(elsewhere).toMatchObject({ read: 2, look: 1, share: first.share });
  // neither does it against another text, once for each model
  expect(ask(earlier, { id: "b2", text: "text", target: "third", tasks })).toMatchObject({
    read: 2,
    share: first.share,
  });
  expect(ask(earlier, { id: "b3", text: "text", target: "third", tasks }).read).toBe(3);
});

test("in CI the memory fades, and what it spends is gone for everybody else", () => {
  const earlier: AskedRow[] = [];
  const tasks = tasksOf(12);
  for (let at = 0; at < 100; at += 1) ask(earlier, { id: `push ${at}`, tasks, memory: "fades" });
  const next = ask(earlier, { id: "next", tasks, memory: "fades" });
  expect(next).toMatchObject({ read: 101, memory: "fades" });
  expect(0.05 * next.share).toBeGreaterThan(0.0003);
  expect(0.05 * ask(earlier, { id: "train", tasks }).share).toBeLessThan(1e-6);
});
