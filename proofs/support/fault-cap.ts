import { type Rates, charge } from "../../test/support/charge.ts";
import { WhetstoneError } from "../../src/index.ts";
import type { Cost } from "../../src/ports.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { exportOf, faultKinds, faultWorld, readEntries, runOnce, runPersistently } from "./fault-run.ts";
import { compareExports, readExport } from "../../test/support/kill-run.ts";
import { scriptedPrices } from "../../test/support/scripted-run.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

export interface CappedRun {
  readonly faultRate: number;
  /** In billionths of a US dollar. */
  readonly price: number;
  readonly cap: number;
  readonly exitCode: number;
  /** The most that was ever booked or still open, and what the server really charged, up to the stop. */
  readonly mostCommitted: number;
  readonly charged: number;
  readonly samples: number;
  /** What differs from the run without a cap, once the cap was raised. */
  readonly differences: readonly string[];
}

const prices: Readonly<Record<string, Rates>> = scriptedPrices;

/** A run whose cap is half its price, then the same run with the cap raised. */
export async function runIntoCap(seed: number, faultRate: number): Promise<CappedRun> {
  using whole = temporaryDirectory("cap-whole");
  using capped = temporaryDirectory("cap");
  const world = faultWorld(seed);
  await using server = await startScriptedServer({ seed, world });
  const free = await runOnce({ seed, url: server.url, dir: whole.path });
  if (free instanceof WhetstoneError) throw free;
  const price = free.spent.nanoUsd;
  const cap = Math.floor(price / 2);
  const callsBefore = server.callCount;

  if (faultRate > 0) server.faults = { rate: faultRate, kinds: faultKinds };
  const spend = { usd: cap / 1e9 };
  const { end } = await runPersistently({ seed, url: server.url, dir: capped.path, spend });
  const charged = server.calls.slice(callsBefore).reduce((sum, { request, answer }) => {
    // a cut answer was generated, so a provider would charge for it
    const price = prices[`scripted/${request.model}`];
    return answer === undefined || price === undefined ? sum : sum + charge(answer.usage, price);
  }, 0);
  const { most, samples } = await committed(capped.path);

  server.faults = undefined;
  const resumed = await runOnce({
    seed,
    url: server.url,
    dir: capped.path,
    spend: { usd: (4 * price) / 1e9 },
  });
  if (resumed instanceof WhetstoneError) throw resumed;
  return {
    faultRate,
    price,
    cap,
    exitCode: end instanceof WhetstoneError ? end.exitCode : 0,
    mostCommitted: most,
    charged,
    samples,
    differences: compareExports(readExport(exportOf(whole.path)), readExport(exportOf(capped.path))),
  };
}

/** Along the journal, at every entry: what is booked plus the worst case of what is still open. */
async function committed(dir: string): Promise<{ readonly most: number; readonly samples: number }> {
  const open = new Map<string, number[]>();
  let [booked, worst, most, samples] = [0, 0, 0, 0];
  for (const { kind, key, body } of await readEntries(dir)) {
    if (kind === "intent") {
      const { nanoUsd } = body["worst"] as unknown as Cost;
      open.set(key, [...(open.get(key) ?? []), nanoUsd]);
      worst += nanoUsd;
    } else if (kind === "result" || kind === "failure" || kind === "duplicate") {
      worst -= open.get(key)?.shift() ?? 0;
      booked += (body["cost"] as unknown as Cost).nanoUsd;
    } else {
      continue;
    }
    samples += 1;
    most = Math.max(most, booked + worst);
  }
  return { most, samples };
}
