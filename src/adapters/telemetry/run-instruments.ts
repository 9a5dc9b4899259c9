import type { Counter, Histogram, Meter, ObservableGauge } from "@opentelemetry/api";

export interface RunInstruments {
  readonly units: Counter;
  readonly retries: Counter;
  readonly spend: Counter;
  readonly duration: Histogram;
  readonly tokens: Histogram;
  readonly active: ObservableGauge;
}

export const runInstruments = (meter: Meter): RunInstruments => ({
  units: meter.createCounter("whetstone.units", {
    description: "Units that ended: bought, read from the journal, or left pending",
    unit: "{unit}",
  }),
  retries: meter.createCounter("whetstone.retries", {
    description: "Tries after a failed one",
    unit: "{try}",
  }),
  spend: meter.createCounter("whetstone.spend", { description: "Money booked", unit: "USD" }),
  // both names and boundaries follow the conventions for generative AI
  duration: meter.createHistogram("gen_ai.client.operation.duration", {
    description: "How long one try at a model call or an agent rollout took",
    unit: "s",
    advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, nth) => 0.01 * 2 ** nth) },
  }),
  tokens: meter.createHistogram("gen_ai.client.token.usage", {
    description: "Tokens of one unit",
    unit: "{token}",
    advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, nth) => 4 ** nth) },
  }),
  active: meter.createObservableGauge("whetstone.units.active", {
    description: "Units of this run that are in flight, or wait for their next try",
    unit: "{unit}",
  }),
});
