import { seededRandom } from "../../core/random.ts";

/** How long a reply takes. It's drawn once per unit key, so a retry waits as long as the first try. */
export type Latency =
  | { readonly kind: "fixed"; readonly ms: number }
  | { readonly kind: "uniform"; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: "lognormal"; readonly medianMs: number; readonly sigma: number };

/** One latency for all models, or one for each model's name. */
export type LatencyPlan = Latency | ((model: string) => Latency | undefined);

/** Milliseconds that the reply to `key` takes; 0 without a plan. */
export function drawLatency(plan: LatencyPlan | undefined, seed: number, key: string, model: string): number {
  const latency = typeof plan === "function" ? plan(model) : plan;
  if (latency === undefined) return 0;
  if (latency.kind === "fixed") return latency.ms;
  const random = seededRandom(seed, key, "latency");
  if (latency.kind === "uniform") return latency.minMs + random() * (latency.maxMs - latency.minMs);
  return latency.medianMs * Math.exp(latency.sigma * drawNormal(random));
}

// Box–Muller; 1 - u keeps the logarithm away from zero
const drawNormal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
