import { once } from "node:events";
import { type Job, Worker } from "bullmq";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { nothingBooked } from "./fleet-budget.ts";
import { testUnit } from "../../../test/support/fleet-fixture.ts";
import { type FleetUnit, openJob } from "./fleet-job.ts";
import { prefix, queueName } from "./fleet-keys.ts";
import { type FleetLane, type SendOptions, fleetLane } from "./fleet-lane.ts";
import type { SealedText } from "./fleet-seal.ts";
import { openRedis } from "./open-redis.ts";
import { sealForTest } from "../../../test/support/fleet-sealing.ts";
import { sealOutcome } from "./wire-error.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const unitOf = (key: string, block?: string): FleetUnit => ({
  key,
  unit: testUnit(key),
  place: { role: "target", step: 0, stage: "rollout", ...(block === undefined ? {} : { block }) },
});
const options: SendOptions = {
  run: "run",
  settings: "1",
  tries: 1,
  urgency: {},
  isRecorded: async () => false,
};
const keysOf = ({ data, id = "", queueName: lane }: Job<SealedText>): string[] =>
  openJob(sealForTest, data, { id, lane }).units.map(({ key }) => key);
const send = (lane: FleetLane, key: string) => lane.send(unitOf(key), options);

test("a unit that an earlier process had sent ends while it is still held back here: its place is free", async () => {
  const redis = await openRedis(server.url);
  const earlier = await fleetLane(redis, "lane", 10, sealForTest);
  const lane = await fleetLane(redis, "lane", 1, sealForTest);
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = new Worker(
    queueName("lane"),
    async (job: Job<SealedText>) => {
      if (keysOf(job).includes("first")) await isReleased;
      return sealOutcome(sealForTest, job.id ?? "", nothingBooked);
    },
    { connection: redis, prefix, concurrency: 2 },
  );
  const [first, held] = [send(lane, "first"), send(lane, "held")];
  await send(earlier, "held");
  await held;
  release();
  await first;
  // not held for good
  await send(lane, "next");
  await worker.close();
  await lane.close();
  await earlier.close();
  redis.disconnect();
});

test("a cancelled unit is taken back, and one that has ended meanwhile is not lost", async () => {
  const redis = await openRedis(server.url);
  const open = () => fleetLane(redis, "taken back", 10, sealForTest);
  const lane = await open();
  const done: string[] = [];
  const started = (key: string) =>
    lane.send(unitOf(key), { ...options, isRecorded: async () => done.includes(key) });
  const both = Promise.allSettled([started("early"), started("ended")]);
  // as if a worker had recorded it, removed its job, and the word of it were still on its way
  done.push("ended");
  await lane.cancel(new Error("not wanted"));
  expect(await both).toMatchObject([
    { status: "rejected", reason: { message: "not wanted" } },
    { status: "fulfilled", value: nothingBooked },
  ]);
  const begun: string[] = [];
  const worker = new Worker(
    queueName("taken back"),
    async (job: Job<SealedText>) => {
      begun.push(...keysOf(job));
      return sealOutcome(sealForTest, job.id ?? "", nothingBooked);
    },
    { connection: redis, prefix },
  );
  const later = await open();
  await send(later, "next");
  expect(begun).toEqual(["next"]);
  await worker.close();
  await lane.close();
  await later.close();
  redis.disconnect();
});

test("a queue is closed while Redis is away", async () => {
  const away = await startRedis();
  const redis = await openRedis(away.url);
  const lane = await fleetLane(redis, "lane", 10, sealForTest);
  const isConnectingAgain = once(redis, "reconnecting");
  await away.stop("SIGKILL");
  await isConnectingAgain;
  await lane.close();
  redis.disconnect();
  await away.end();
});
