import { seededRandom } from "../../../src/core/random.ts";
import type { TrainSettings } from "../../../src/core/settings.ts";
import type { NetworkFault } from "./simulated-network.ts";
import { networkFaults } from "./simulated-network.ts";

/** What one seed's history has in store. All times in milliseconds of virtual time from the start. */
export interface SimulationPlan {
  readonly seed: number;
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number };
  readonly epochs: number;
  readonly batchSize: number;
  readonly minibatchSize: number;
  readonly concurrency: number | "auto";
  readonly maxPendingShare: number;
  readonly gate: Pick<TrainSettings, "gate" | "lag">;
  /** The cap at the start, as a share of what the run costs without faults; it is raised when it stops the run. */
  readonly capShare: number | undefined;
  readonly faultRate: number;
  readonly diskFailRate: number;
  /** Mean time between deaths of the process, and between interruptions by its user. */
  readonly meanCrashMs: number;
  readonly meanInterruptMs: number;
  readonly outages: readonly { readonly from: number; readonly to: number; readonly fault: NetworkFault }[];
  /** From here on nothing goes wrong any more. */
  readonly faultsEndMs: number;
}

export function planSimulation(seed: number): SimulationPlan {
  const random = seededRandom("simulation-plan", seed);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  // now and then an outage outlasts the patience of a client
  const isLong = random() < 0.15;
  const faultsEndMs = 2000 + random() * (isLong ? 400_000 : 25_000);
  const outages = Array.from({ length: isLong ? 1 : Math.floor(random() * 3) }, () => {
    const from = random() * Math.min(faultsEndMs, 20_000);
    const fault = random() < 0.2 ? pick<NetworkFault>("401", "spend-limit") : pick(...networkFaults);
    return { from, to: from + random() * (isLong ? 400_000 : 6000), fault };
  });
  return {
    seed,
    tasks: { train: pick(6, 8, 10), val: pick(4, 6), test: pick(0, 12) },
    epochs: pick(1, 2),
    batchSize: pick(4, 5, 8),
    minibatchSize: pick(2, 3, 8),
    concurrency: pick<number | "auto">(1, 2, 4, 16, "auto"),
    maxPendingShare: pick(0, 0.1, 0.34),
    capShare: pick(undefined, undefined, 0.3, 0.8, 3),
    faultRate: pick(0, 0.05, 0.2, 0.4, 0.6),
    diskFailRate: pick(0, 0, 0.005),
    meanCrashMs: isLong ? 60_000 : pick(500, 2000, 8000, Number.POSITIVE_INFINITY),
    meanInterruptMs: isLong ? 60_000 : pick(3000, 20_000, Number.POSITIVE_INFINITY),
    outages,
    faultsEndMs,
    gate: pick<SimulationPlan["gate"]>(
      { gate: "strict", lag: 0 },
      { gate: "rules", lag: 0 },
      { gate: "rules", lag: 1 },
      { gate: "rules", lag: 1 },
    ),
  };
}

/** The same run in a world where nothing goes wrong. */
export const withoutFaults = (plan: SimulationPlan): SimulationPlan => ({
  ...plan,
  capShare: undefined,
  faultRate: 0,
  diskFailRate: 0,
  outages: [],
  faultsEndMs: 0,
});
