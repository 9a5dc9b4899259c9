import { expect, test } from "vitest";
import { InfraError } from "../../core/errors.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { type Lane, type LaneOptions, type Urgency, createLane } from "./lane.ts";
import { createProbes } from "./probes.ts";

const open = (options: Partial<LaneOptions> = {}) => {
  const reports: string[] = [];
  const lane = createLane(
    { concurrency: 4, start: 8, breakAfter: 5, probeMs: 5, ...options },
    systemClock,
    (state, limit) => reports.push(`${state} ${limit}`),
  );
  return { lane, reports };
};

const throttle = new InfraError("throttle", "slow down", { retryAfterMs: 1 });
const transport = new InfraError("transport", "reset");

/** So many calls that all fail in a moment, and how many of them began. */
function callInVain(lane: Lane, count: number, failure = transport) {
  let calls = 0;
  const all = Array.from({ length: count }, async () => {
    const ticket = await lane.acquire();
    calls += 1;
    await systemClock.sleep(1);
    ticket.failure(failure);
  });
  return { all, begun: () => calls };
}

test("until the first success there is one call alone, then the ceiling", async () => {
  const { lane } = open();
  const first = await lane.acquire();
  let begun = 0;
  const others = Array.from({ length: 6 }, () => lane.acquire().then(() => (begun += 1)));
  await systemClock.sleep(5);
  expect(begun).toBe(0);
  first.success();
  await Promise.race(others);
  await systemClock.sleep(5);
  expect(begun).toBe(4);
});

test("auto begins low where it is told to, and a throttle halves what it has", async () => {
  const { lane, reports } = open({ concurrency: "auto", start: 2 });
  (await lane.acquire()).success();
  const tickets = await Promise.all([lane.acquire(), lane.acquire()]);
  let isBegun = false;
  void lane.acquire().then(() => {
    isBegun = true;
  });
  await systemClock.sleep(5);
  expect(isBegun).toBe(false);
  // one burst of throttled calls halves once
  for (const ticket of tickets) ticket.failure(throttle);
  expect(reports).toEqual(["throttled 1"]);
});

test("a call that took too long halves the limit, once for all that began before", async () => {
  const late = new InfraError("transport", "No answer within 600 s.", { billed: "unknown", isLate: true });
  const { lane, reports } = open({ concurrency: "auto" });
  (await lane.acquire()).success();
  const tickets = await Promise.all(Array.from({ length: 8 }, () => lane.acquire()));
  for (const ticket of tickets.slice(0, 3)) ticket.failure(late);
  for (const ticket of tickets.slice(3)) ticket.success();
  expect(reports).toEqual(["throttled 4"]);
});

test("background work waits behind everything else", async () => {
  const { lane } = open({ concurrency: 1 });
  const first = await lane.acquire();
  const order: string[] = [];
  const slow = lane.acquire({ background: true }).then((ticket) => {
    order.push("background");
    ticket.success();
  });
  const fast = lane.acquire().then((ticket) => {
    order.push("urgent");
    ticket.success();
  });
  first.success();
  await Promise.all([slow, fast]);
  expect(order).toEqual(["urgent", "background"]);
});

test("the rest of a block takes the next places, whatever has come in between", async () => {
  const { lane } = open({ concurrency: 1 });
  const first = await lane.acquire();
  const order: string[] = [];
  const take = (name: string, urgency: Urgency) =>
    lane.acquire(urgency).then((ticket) => {
      order.push(name);
      // others come while the first half is in flight
      if (name === "one") late.push(take("urgent", {}));
      setTimeout(() => ticket.success(), 1);
    });
  const late: Promise<void>[] = [];
  const all = ["one", "two", "three"].flatMap((name) => [
    take(name, { background: true, block: name }),
    take(`${name} again`, { background: true, block: name }),
  ]);
  first.success();
  await Promise.all(all);
  await Promise.all(late);
  expect(order).toEqual(["one", "one again", "urgent", "two", "two again", "three", "three again"]);
});

test("a cold lane gives up after five calls", async () => {
  const { lane, reports } = open();
  const work = callInVain(lane, 20);
  const settled = await Promise.allSettled(work.all);
  expect(work.begun()).toBe(5);
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(15);
  expect(reports).toEqual(["down 1"]);
});

test("after a success, an outage costs the calls in flight and five more", async () => {
  const { lane, reports } = open({ concurrency: 8 });
  (await lane.acquire()).success();
  const work = callInVain(lane, 40);
  await Promise.allSettled(work.all);
  expect(work.begun()).toBe(8 + 5);
  expect(reports).toEqual(["open 8", "down 8"]);
});

test("a probe that succeeds closes the breaker", async () => {
  const { lane, reports } = open({ concurrency: 8 });
  (await lane.acquire()).success();
  for (let call = 0; call < 5; call += 1) (await lane.acquire()).failure(transport);
  (await lane.acquire()).success();
  (await lane.acquire()).success();
  expect(reports).toEqual(["open 8", "closed 8"]);
});

test("calls that began before an outage and still succeed are replaced one for one", async () => {
  const { lane } = open({ concurrency: 8 });
  (await lane.acquire()).success();
  const before = await Promise.all(Array.from({ length: 8 }, () => lane.acquire()));
  const later = callInVain(lane, 40);
  for (const ticket of before) {
    ticket.success();
    await systemClock.sleep(3);
  }
  await Promise.allSettled(later.all);
  expect(later.begun()).toBe(8 + 5);
});

test("an endless throttle costs the calls in flight and five more, not a series of halvings", async () => {
  const { lane, reports } = open({ concurrency: 8 });
  (await lane.acquire()).success();
  const work = callInVain(lane, 40, throttle);
  await Promise.allSettled(work.all);
  expect(work.begun()).toBe(8 + 5);
  expect(reports.at(-1)).toBe("down 1");
});

test("lanes of one provider share their probes", async () => {
  const probes = createProbes(5, systemClock);
  const options = { concurrency: 4, start: 8, breakAfter: 5, probeMs: 5 };
  const lanes = [0, 1].map(() => createLane(options, systemClock, () => {}, probes));
  for (const lane of lanes) (await lane.acquire()).success();
  const work = lanes.map((lane) => callInVain(lane, 20));
  await Promise.allSettled(work.flatMap(({ all }) => all));
  expect(work.reduce((sum, { begun }) => sum + begun(), 0)).toBe(4 + 4 + 5);
});

test("a lane that works does not go down with its sibling", async () => {
  const probes = createProbes(5, systemClock);
  const options = { concurrency: 4, start: 8, breakAfter: 5, probeMs: 5 };
  const [dead, alive] = [0, 1].map(() => createLane(options, systemClock, () => {}, probes));
  for (const lane of [dead, alive]) (await lane?.acquire())?.success();
  (await dead?.acquire())?.failure(transport);
  // in doubt with its sibling, but its next call is answered
  (await alive?.acquire())?.success();
  for (let probe = 0; probe < 5; probe += 1) (await dead?.acquire())?.failure(transport);
  await expect(dead?.acquire()).rejects.toThrow("doesn't answer");
  const ticket = await alive?.acquire();
  expect(ticket).toBeDefined();
});

test("a failure shortly before an outage does not let more calls through", async () => {
  const { lane } = open({ concurrency: 8 });
  (await lane.acquire()).success();
  const first = await Promise.all(Array.from({ length: 8 }, () => lane.acquire()));
  first[0]?.failure(transport);
  // these replace calls that began before the failure, so their success ends the doubt
  const second = [lane.acquire(), lane.acquire(), lane.acquire(), lane.acquire()];
  for (const ticket of first.slice(1, 5)) ticket.success();
  const flying = [...first.slice(5), ...(await Promise.all(second))];
  const later = callInVain(lane, 40);
  for (const ticket of flying.toReversed()) {
    ticket.success();
    await systemClock.sleep(3);
  }
  await Promise.allSettled(later.all);
  expect(later.begun()).toBeLessThanOrEqual(flying.length + 5);
});
