import { Worker } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { Redis } from "ioredis";
import { peerPath } from "../load-peer.ts";
import { fleetKeys, queueKey } from "./fleet-keys.ts";

/** Says to everyone that this worker lives and which jobs are in its hands, also while its event loop is blocked. */
export interface Leases {
  take(lane: string, id: string, token: string): void;
  /** The token as well: another hand of this worker may have taken the same job over. */
  drop(lane: string, id: string, token: string): void;
  close(): Promise<void>;
}

export interface LeaseOptions {
  readonly redis: string;
  readonly worker: string;
  /** What others see of this worker. */
  readonly about: WorkerAbout;
  readonly lockMs: number;
}

export interface WorkerAbout {
  readonly host: string;
  readonly pid: number;
  readonly concurrency: number;
}

/** A program that hangs for good must not keep its jobs for good. */
const blockedMs = 600_000;
/** Longer than a lock: a worker is taken for dead only after its jobs are. */
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
  // as text, so that it needs no file of its own where the package is bundled
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

/** The whole of the thread: it may use its arguments and nothing else of this file. */
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
    // a renewal that was under way would keep the thread alive for good
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
      // without an answer the worker is forgotten all the same, a little later
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
