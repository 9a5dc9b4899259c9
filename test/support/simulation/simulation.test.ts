import { expect, test } from "vitest";
import { diskJournal } from "./disk-journal.ts";
import { InfraError } from "../../../src/core/errors.ts";
import type { NewEntry } from "../../../src/core/ports/journal.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { hiddenRuleWorld } from "../../../src/testing/hidden-rule-world.ts";
import { simulatedDisk } from "./simulated-disk.ts";
import { networkFaults, simulatedNetwork } from "./simulated-network.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

const entry = (nth: number): NewEntry => ({
  kind: "result",
  run: "r",
  key: nth.toString(16).padStart(64, "0"),
  name: "",
  body: { nth },
});

async function until(time: VirtualTime, promise: Promise<unknown>): Promise<void> {
  const state = { isDone: false };
  const finish = () => {
    state.isDone = true;
  };
  promise.then(finish, finish);
  do await time.advance();
  while (!state.isDone);
}

test("an hour of virtual time passes at once, in order", async () => {
  const time = virtualTime(seededRandom("hour"));
  const { clock } = time.startProcess();
  const start = time.now();
  const woken: number[] = [];
  const sleeps = [3_600_000, 10, 500].map((ms) => clock.sleep(ms).then(() => woken.push(ms)));
  await until(time, Promise.all(sleeps));
  expect(woken).toEqual([10, 500, 3_600_000]);
  expect(time.now() - start).toBe(3_600_000);
});

test("a sleep ends with its signal, and with its process never", async () => {
  const time = virtualTime(seededRandom("signal"));
  const process = time.startProcess();
  const stop = new AbortController();
  const sleeping = process.clock.sleep(1000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  let woke = false;
  void process.clock.sleep(5).then(() => {
    woke = true;
  });
  process.kill();
  expect(await time.advance()).toBe(false);
  expect(woke).toBe(false);
});

test("the seed alone decides what happens first", async () => {
  const play = async (seed: number) => {
    const time = virtualTime(seededRandom("order", seed));
    const process = time.startProcess();
    const order: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) process.after(10, `event ${nth}`, () => order.push(nth));
    while (await time.advance());
    return { order: order.join(), history: time.history() };
  };
  expect(await play(1)).toEqual(await play(1));
  expect(await play(1)).not.toEqual(await play(2));
});

test("what a journal acknowledged survives every crash, whatever else is lost", async () => {
  let [acknowledged, lost] = [0, 0];
  for (let seed = 0; seed < 60; seed += 1) {
    const random = seededRandom("disk", seed);
    const time = virtualTime(random);
    const disk = simulatedDisk({ random });
    const safe = new Set<string>();
    for (let life = 0; life < 4; life += 1) {
      const process = time.startProcess();
      const journal = await diskJournal(disk.mount(process));
      for (let nth = 0; nth < 10; nth += 1) {
        const one = entry(life * 10 + nth);
        void journal.write(one).then(() => safe.add(one.key));
        if (random() < 0.5) await time.advance();
      }
      process.kill();
      disk.crash();
    }
    const survivor = await diskJournal(disk.mount(time.startProcess()));
    const found = new Set<string>();
    for await (const { key } of survivor.read()) found.add(key);
    expect(
      [...safe].filter((key) => !found.has(key)),
      `seed ${seed}`,
    ).toEqual([]);
    acknowledged += safe.size;
    lost += 40 - found.size;
  }
  expect(acknowledged).toBeGreaterThan(0);
  expect(lost).toBeGreaterThan(0);
});

test("a failed sync fails the write and closes the journal", async () => {
  const random = seededRandom("fail");
  const time = virtualTime(random);
  const disk = simulatedDisk({ random, failRate: () => 1 });
  const journal = await diskJournal(disk.mount(time.startProcess()));
  const write = journal.write(entry(1));
  await until(time, write);
  await expect(write).rejects.toMatchObject({ code: "journal-write" });
  expect(disk.failures).toBe(1);
});

test("the network answers as its world does, or fails in every way", async () => {
  const random = seededRandom("network");
  const time = virtualTime(random);
  const world = hiddenRuleWorld({ seed: 1, rules: 4, passWith: 1 });
  const process = time.startProcess();
  let rate = 0;
  const calls: boolean[] = [];
  const network = simulatedNetwork({
    world,
    random,
    faultRate: () => rate,
    onCall: ({ charged }) => calls.push(charged !== undefined),
  });
  const model = network.model("scripted/target-1", process);
  const [task] = world.tasks(1);
  const ask = (key: string) =>
    model.generate(
      {
        model: "scripted/target-1",
        system: world.seedSkill(4),
        messages: [{ role: "user", content: task?.input ?? "" }],
        maxTokens: 100,
      },
      { key, signal: new AbortController().signal },
    );
  const answer = ask("a");
  await until(time, answer);
  expect(await answer).toMatchObject({ text: task?.answers?.[0], finish: "stop" });

  rate = 1;
  const failures = Array.from({ length: 200 }, (_, nth) => ask(`f${nth}`).catch((error: unknown) => error));
  await until(time, Promise.all(failures));
  const errors = await Promise.all(failures);
  expect(errors.every((error) => error instanceof InfraError && error.retryable)).toBe(true);
  expect(new Set(errors.map(String)).size).toBeGreaterThanOrEqual(networkFaults.length - 1);
  expect(calls.filter((isCharged) => isCharged).length).toBeGreaterThan(1);
});
