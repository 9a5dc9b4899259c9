import { memoryJournal } from "../../../src/adapters/journals/memory.ts";
import { localExecutor } from "../../../src/adapters/executors/local.ts";
import { noCost } from "../../../src/core/cost.ts";
import type { Model, ModelRequest, Reply } from "../../../src/core/ports/model.ts";
import { generateUnit } from "../../../src/core/work/generate-unit.ts";
import { createHandlers } from "../../../src/core/work/handlers.ts";
import { readLedger } from "../../../src/core/work/ledger.ts";
import { createSpend } from "../../../src/core/work/spend.ts";
import { unitKey } from "../../../src/core/work/unit.ts";
import { generateKind } from "../../../src/core/work/unit-kinds.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { untilDone } from "./until-done.ts";
import { type SlotServer, slotServer } from "./slot-server.ts";
import { type VirtualProcess, virtualTime } from "../simulation/virtual-time.ts";

export interface LoadOptions {
  readonly seed: number;
  readonly calls: number;
  readonly slots: number;
  /** How long a call takes that begins after so many others. */
  readonly ms: (served: number, random: () => number) => number;
  readonly isNear?: boolean;
  /** What happens meanwhile. */
  readonly meanwhile?: (server: SlotServer, process: VirtualProcess) => void;
}

export interface LoadFigures {
  /** Of the time of all slots from the first call to the last. */
  readonly share: number;
  readonly seconds: number;
  readonly lostTries: number;
  readonly pending: number;
  readonly mostInFlight: number;
  /** Booked tokens by used ones. */
  readonly booked: number;
  readonly calls: number;
}

const usage = { inputTokens: 60, outputTokens: 3 };
const answer: Reply = { text: "ok", finish: "stop", usage };

/** So many calls at once, through executor, lane, journal and spend, on a server with slots. */
export async function loadServer(options: LoadOptions): Promise<LoadFigures> {
  const { seed, calls, slots, isNear = true } = options;
  const random = seededRandom("one-slot", seed);
  const time = virtualTime(random);
  const process = time.startProcess();
  const server: SlotServer = slotServer({
    slots,
    ms: () => options.ms(server.seen.served, random),
    reply: () => answer,
    process,
  });
  options.meanwhile?.(server, process);
  const model: Model = server.model("near/model", { isNear });
  const journal = await memoryJournal();
  let lostTries = 0;
  const executor = localExecutor({
    run: "load",
    journal,
    clock: process.clock,
    spend: createSpend({ caps: {}, already: noCost, elapsedMs: () => 0 }),
    handlers: createHandlers([
      generateUnit({ models: new Map([[model.id, model]]), priceOf: () => undefined }),
    ]),
    emit: ({ type }) => {
      if (type === "try-failed") lostTries += 1;
    },
    signal: new AbortController().signal,
    hardSignal: new AbortController().signal,
    stop: (error) => {
      throw error;
    },
  });
  const started = time.now();
  const work = Promise.allSettled(
    Array.from({ length: calls }, (_, index) => {
      const request: ModelRequest = {
        model: model.id,
        messages: [{ role: "user", content: `${index} ${"words of a task ".repeat(14)}` }],
        maxTokens: 1024,
      };
      const unit = generateKind.unit(request, { purpose: "train", trial: 0 });
      return executor.execute({
        unit,
        key: unitKey(unit),
        place: { role: "target", step: 0, stage: "rollout" },
      });
    }),
  );
  const ended = await untilDone(work, time);
  const ms = time.now() - started;
  const { spent } = await readLedger(journal.read({ run: "load" }));
  return {
    share: server.seen.busyMs / (slots * ms),
    seconds: ms / 1000,
    lostTries,
    pending: ended.filter(({ status }) => status === "rejected").length,
    mostInFlight: server.seen.mostInFlight,
    booked: spent.tokens / server.seen.tokens,
    calls: spent.calls,
  };
}
