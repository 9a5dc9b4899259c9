import { InfraError } from "../../../src/core/errors.ts";
import type { Model, ModelCall, ModelRequest, Reply } from "../../../src/core/ports/model.ts";
import type { VirtualProcess } from "../simulation/virtual-time.ts";

/** A local server as Ollama and llama.cpp behave under load: some calls at a time, the rest waits without limit, never a 429. */
export interface SlotServer {
  model(id: string, more?: Pick<Model, "isNear">): Model;
  /** All calls are lost, and none is taken until `start`. */
  stop(): void;
  start(): void;
  readonly seen: Readonly<Seen>;
}

interface Seen {
  served: number;
  /** Time that slots spent on answers. */
  busyMs: number;
  tokens: number;
  mostInFlight: number;
}

export interface SlotServerOptions {
  readonly slots: number;
  /** How long the next call takes once it has a slot. */
  readonly ms: () => number;
  readonly reply: (request: ModelRequest, key: string) => Reply;
  readonly process: VirtualProcess;
}

interface Waiting {
  readonly begin: () => void;
  readonly fail: (error: InfraError) => void;
}

export function slotServer({ slots, ms, reply, process }: SlotServerOptions): SlotServer {
  const seen: Seen = { served: 0, busyMs: 0, tokens: 0, mostInFlight: 0 };
  const waiting: Waiting[] = [];
  const working = new Set<Waiting>();
  let isDown = false;

  function pump(): void {
    while (working.size < slots) {
      const next = waiting.shift();
      if (next === undefined) return;
      working.add(next);
      next.begin();
    }
  }

  const ask = (request: ModelRequest, { key, signal, deadlineMs = () => 600_000 }: ModelCall) =>
    new Promise<Reply>((resolve, reject) => {
      if (isDown) {
        process.after(1, "refused", () => reject(new InfraError("transport", "Connection refused.")));
        return;
      }
      let [endWork, endWait] = [() => {}, () => {}];
      const leave = () => {
        endWork();
        endWait();
        signal.removeEventListener("abort", giveUp);
        working.delete(call);
        if (waiting.includes(call)) waiting.splice(waiting.indexOf(call), 1);
        pump();
      };
      const fail = (error: Error) => {
        reject(error);
        leave();
      };
      const giveUp = () => fail(signal.reason as Error);
      const call: Waiting = {
        fail,
        begin() {
          const needed = ms();
          endWork = process.after(needed, `answer ${key.slice(0, 8)}`, () => {
            const answer = reply(request, key);
            seen.served += 1;
            seen.busyMs += needed;
            seen.tokens += answer.usage.inputTokens + answer.usage.outputTokens;
            resolve(answer);
            leave();
          });
        },
      };
      const watch = (waited: number) => {
        const most = deadlineMs();
        if (most > waited) endWait = process.after(most - waited, "deadline", () => watch(most));
        else fail(new InfraError("transport", "No answer in time.", { billed: "unknown", isLate: true }));
      };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(call);
      pump();
      watch(0);
      seen.mostInFlight = Math.max(seen.mostInFlight, working.size + waiting.length);
    });

  return {
    seen,
    model: (id, more = { isNear: true }) => ({ id, ...more, generate: ask }),
    stop() {
      isDown = true;
      const lost = new InfraError("transport", "The connection was reset.", { billed: "unknown" });
      for (const call of [...waiting.splice(0), ...working]) call.fail(lost);
    },
    start() {
      isDown = false;
    },
  };
}
