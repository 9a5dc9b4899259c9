import { setTimeout as sleep } from "node:timers/promises";
import { InfraError } from "../../core/errors.ts";
import type {
  BatchAnswers,
  BatchProtocol,
  BatchRecord,
  BatchRequest,
  BatchServer,
} from "./batch-protocol.ts";
import type { BatchRecords } from "./batch-records.ts";
import { classifyError } from "./classify.ts";

export interface BatchPace {
  /** The first wait for an answer; each one after it is half as long again. @default 500 */
  readonly pollMs?: number;
  /** The longest. @default 60_000 */
  readonly longestPollMs?: number;
  /** How long a batch may take to appear in the provider's list when the answer to its submission was lost. @default 60_000 */
  readonly appearMs?: number;
}

/** A batch, and how its provider is asked for it. */
export interface BatchErrand {
  record: BatchRecord;
  readonly protocol: BatchProtocol;
  readonly server: BatchServer;
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** Failures in a row after which a provider is not asked any more: about five minutes. */
const mostFailures = 10;

/** Takes batches to their providers and brings the answers; what is known of them is durable first. */
export function batchCourier(
  records: BatchRecords,
  { pollMs = 500, longestPollMs = 60_000, appearMs = 60_000 }: BatchPace,
) {
  return { identify, collect, update };

  /** The provider's id, written down; undefined when the provider has no such batch. */
  async function identify(
    errand: BatchErrand,
    requests: readonly BatchRequest[] | undefined,
  ): Promise<string | undefined> {
    const id = await (requests === undefined ? find(errand) : submit(errand, requests));
    if (id === undefined) await forget(errand);
    else await update(errand, { ...errand.record, id });
    return id;
  }

  async function submit(errand: BatchErrand, requests: readonly BatchRequest[]): Promise<string | undefined> {
    await records.put(errand.record);
    // everybody may have left while that was written
    if (errand.signal.aborted) return undefined;
    try {
      const id = await errand.protocol.submit(errand.record, requests, errand.server);
      if (id !== "") return id;
      throw new InfraError("transport", "The provider gave the batch no id.", { billed: "unknown" });
    } catch (error) {
      const { class: kind, message, billed, status, retryAfterMs } = classifyError(error);
      // without an answer it may have arrived all the same
      const id = billed === "no" ? undefined : await find(errand);
      if (id !== undefined) return id;
      await forget(errand);
      throw new InfraError(kind, message, { status, retryAfterMs });
    }
  }

  /** The provider's id of a batch whose submission was not answered; undefined when it never arrived. */
  async function find({ record, protocol, server, signal }: BatchErrand): Promise<string | undefined> {
    // by this machine's clock alone: the record may be another's
    const began = Date.now();
    for (let pause = pollMs; ; pause = longer(pause)) {
      const found = await patiently(signal, () => protocol.find(record, records.idsBeside(record), server));
      if (found.kind === "found") return found.id;
      if (found.kind === "absent" && Date.now() - began > appearMs) return undefined;
      await sleep(pause, undefined, { signal });
    }
  }

  async function collect(errand: BatchErrand, id: string, isNew: boolean): Promise<BatchAnswers> {
    const { protocol, server, signal } = errand;
    for (let pause = isNew ? pollMs : 0; ; pause = longer(pause)) {
      await sleep(pause, undefined, { signal });
      const answers = await patiently(signal, () => protocol.collect(id, server)).catch((error) => {
        if (!(error instanceof InfraError) || error.status !== 404) throw error;
        return new InfraError("transport", `The provider no longer has the batch ${id}.`, {
          billed: "unknown",
        });
      });
      if (answers instanceof InfraError) {
        await forget(errand);
        throw answers;
      }
      if (answers !== undefined) return answers;
    }
  }

  /** The batch goes on whether or not somebody asks for it, so an outage meanwhile is sat out. */
  async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await ask();
      } catch (error) {
        const failure = classifyError(error);
        if (failure.retryable && failures < mostFailures) {
          const pause = Math.min(2 * pollMs * 2 ** (failures - 1), longestPollMs);
          await sleep(Math.max(pause, failure.retryAfterMs ?? 0), undefined, { signal });
          continue;
        }
        // asking costs nothing, and what the batch costs is booked with its answers
        throw new InfraError(failure.class, failure.message, { status: failure.status });
      }
    }
  }

  async function update(errand: BatchErrand, record: BatchRecord): Promise<void> {
    await records.put(record);
    errand.record = record;
  }

  function forget(errand: BatchErrand): Promise<void> {
    return update(errand, { ...errand.record, keys: [] });
  }

  function longer(pause: number): number {
    return Math.min(Math.max(pause, pollMs) * 1.5, longestPollMs);
  }
}
