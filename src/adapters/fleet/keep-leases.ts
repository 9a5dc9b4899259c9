import { Worker } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { Redis } from "ioredis";
import { peerPath } from "../load-peer.ts";
import { fleetKeys, queueKey } from "./fleet-keys.ts";

/** Announces that this worker is alive and which jobs it has, even while its event loop is blocked. */
export interface Leases {
  take(lane: string, id: string, token: string): void;
  /** The token as well: another slot of this worker may have taken over the same job. */
  drop(lane: string, id: string, token: string): void;
  close(): Promise<void>;
}

export interface LeaseOptions {
  readonly redis: string;
  readonly worker: string;
  /** The facts others see about this worker. */
  readonly about: WorkerAbout;
  readonly lockMs: number;
}

export interface WorkerAbout {
  readonly host: string;
  readonly pid: number;
  readonly concurrency: number;
}

/** A program that hangs forever must not keep its jobs forever. */
const blockedMs = 600_000;
/** Longer than a lock, so that a worker only counts as dead after its jobs do. */
const aliveFactor = 2;

/** BullMQ renews locks on the main thread, where one long computation makes a second worker run the same unit. */
export async function keepLeases({ redis, worker, about, lockMs }: LeaseOptions): Promise<Leases> {
  const data: ThreadData = {
    redis,
    aliveKey: fleetKeys.worker(worker),
    about: JSON.stringify({ ...about, since: Date.now() }),
    workersKey: fleetKeys.workers,
    worker,
    lockMs,
    aliveMs: lockMs * aliveFactor,
    blockedMs,
  };
  // as text, so that a bundled package doesn't need a file for it
  const source = `const { parentPort, workerData } = require("node:worker_threads");
const { Redis } = require(${JSON.stringify(peerPath("ioredis"))});
(${renewForever.toString()})(parentPort, new Redis(workerData.redis, { maxRetriesPerRequest: null }), workerData);`;
  const thread = new Worker(source, { eval: true, workerData: data });
  await new Promise<void>((resolve, reject) => {
    thread.once("message", () => resolve());
    thread.once("error", reject);
  });
  const post = (message: LeaseMessage) => thread.postMessage(message, []);
  const heartbeat = setInterval(() => post({ kind: "awake" }), 1000);
  heartbeat.unref();
  return {
    take: (lane, id, token) =>
      post({
        kind: "take",
        lock: queueKey(lane, `${id}:lock`),
        stalled: queueKey(lane, "stalled"),
        id,
        token,
      }),
    drop: (lane, id, token) => post({ kind: "drop", lock: queueKey(lane, `${id}:lock`), token }),
    async close() {
      clearInterval(heartbeat);
      const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
      post({ kind: "close" });
      await ended;
    },
  };
}

interface ThreadData {
  readonly redis: string;
  readonly worker: string;
  readonly workersKey: string;
  readonly aliveKey: string;
  readonly about: string;
  readonly lockMs: number;
  readonly aliveMs: number;
  readonly blockedMs: number;
}

interface Lease {
  readonly lock: string;
  readonly stalled: string;
  readonly id: string;
  readonly token: string;
}

type LeaseMessage =
  | ({ readonly kind: "take" } & Lease)
  | { readonly kind: "drop"; readonly lock: string; readonly token: string }
  | { readonly kind: "awake" }
  | { readonly kind: "close" };

/** The whole thread. It may only use its arguments, and nothing else in this file. */
function renewForever(port: MessagePort, redis: Redis, data: ThreadData): void {
  const leases = new Map<string, Lease>();
  let heard = Date.now();
  let isClosing = false;
  const renewScript = `
    redis.call("SADD", KEYS[2], ARGV[1])
    redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
    for i = 5, #ARGV, 4 do
      if redis.call("GET", ARGV[i]) == ARGV[i + 3] then
        redis.call("PEXPIRE", ARGV[i], ARGV[4])
        redis.call("SREM", ARGV[i + 1], ARGV[i + 2])
      end
    end`;
  const renew = async (): Promise<void> => {
    if (Date.now() - heard > data.blockedMs) return;
    const about = JSON.stringify({ ...JSON.parse(data.about), running: leases.size });
    const held = [...leases.values()].flatMap(({ lock, stalled, id, token }) => [lock, stalled, id, token]);
    const { aliveKey, workersKey, worker, aliveMs, lockMs } = data;
    await redis.eval(renewScript, 2, aliveKey, workersKey, worker, about, aliveMs, lockMs, ...held);
  };
  let timer: NodeJS.Timeout;
  const again = (): void => {
    // a renewal in progress would keep the thread alive forever
    if (isClosing) return;
    timer = setTimeout(
      () =>
        void renew()
          .catch(() => {})
          .then(again),
      data.lockMs / 5,
    );
  };
  port.on("message", (message: LeaseMessage) => {
    heard = Date.now();
    if (message.kind === "take") leases.set(`${message.lock} ${message.token}`, message);
    if (message.kind === "drop") leases.delete(`${message.lock} ${message.token}`);
    if (message.kind === "close") {
      isClosing = true;
      clearTimeout(timer);
      const leave = (): void => {
        clearTimeout(unheard);
        redis.disconnect();
        port.close();
      };
      // without an answer, the worker is still forgotten, a little later
      const unheard = setTimeout(leave, data.lockMs);
      void redis
        .multi()
        .del(data.aliveKey)
        .srem(data.workersKey, data.worker)
        .exec()
        .catch(() => {})
        .then(leave);
    }
  });
  redis.on("error", () => {});
  void renew()
    .catch(() => {})
    .then(() => {
      port.postMessage("alive");
      again();
    });
}
