import { WhetstoneError } from "../../../src/index.ts";
import { type FaultKind, startScriptedServer } from "../../../src/testing/index.ts";
import { type Gauge, faultWorld, runOnce } from "./fault-run.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export interface Outage {
  readonly fault: FaultKind;
  /** The first call that fails; 1 is an outage from the start. */
  readonly from: number;
  readonly exitCode: number;
  readonly code: string;
  /** Calls that the client had in flight when it learned of it. */
  readonly inFlight: number;
  /** Calls that reached the server from then on. */
  readonly callsAfter: number;
  /** Five from the start on, and otherwise five beyond those in flight. */
  readonly allowed: number;
}

/** Long enough that only a call that never ends runs into it, on a busy machine too. */
const deadlineMs = 3000;

/** How a run ends, and what it still calls, when everything fails from one call on. */
export async function runIntoOutage(seed: number, fault: FaultKind, from: number): Promise<Outage> {
  using folder = temporaryDirectory("outage");
  let calls = 0;
  const gauge: Gauge = { inFlight: 0 };
  await using server = await startScriptedServer({
    seed,
    world: faultWorld(seed),
    // answers that come one by one, so that the calls in flight do not end all at once
    latency: { kind: "uniform", minMs: 10, maxMs: 150 },
    record: false,
    faults: () => {
      calls += 1;
      return calls >= from ? fault : undefined;
    },
  });
  const end = await runOnce({ seed, url: server.url, dir: folder.path, gauge, timeoutMs: deadlineMs });
  const inFlight = gauge.atFirstFailure ?? 0;
  const stopped = end instanceof WhetstoneError ? end : undefined;
  return {
    fault,
    from,
    exitCode: stopped?.exitCode ?? 0,
    code: stopped?.code ?? "done",
    inFlight,
    callsAfter: calls - from + 1,
    allowed: from === 1 ? 5 : inFlight + 5,
  };
}
