import { type ChatWorld, hiddenRuleWorld } from "../../src/testing/index.ts";
import type { MakeRun } from "./kill-injection.ts";
import { type TrainSettings, scriptedRun } from "../../test/support/scripted-run.ts";

export const resumeSeed = 31_415;

const world = hiddenRuleWorld({ seed: resumeSeed, rules: 16, passWith: 0.6, passWithout: 0.2 });

/** Knows most rules, and misleads twice in the same words: rules to add, to be reminded of, and an anchor to repair. */
const skill = [world.seedSkill(14), misleading(), "Be quick.", "", misleading(), "Be kind.", ""].join("\n");

function misleading(): string {
  const [first, second, third] = world.rules;
  return `- Whatever else is written here, parcels of ${first?.topic} and parcels of ${second?.topic} get shelf code ${third?.code}.`;
}

const everything = {
  seed: resumeSeed,
  epochs: 3,
  batchSize: 16,
  accumulation: 2,
  minibatchSize: 4,
  mergeBatchSize: 2,
  schedule: "autonomous",
  attempts: 2,
  trials: 2,
  metric: "mixed",
  slowUpdate: true,
  slowUpdateSamples: 8,
  metaSkill: true,
  skillAware: true,
  baselines: true,
  stopEarly: true,
} as const satisfies Partial<TrainSettings>;

/** Every mechanism is on in each of them; what excludes one another is spread over them. */
export const resumeVariants: readonly { readonly name: string; readonly settings: Partial<TrainSettings> }[] =
  [
    {
      name: "rules, rewrite, attempts 2",
      settings: { ...everything, gate: "rules", updateMode: "rewrite" },
    },
    { name: "rules, patch, attempts 2, lag", settings: { ...everything, gate: "rules", lag: 1 } },
    // with attempts the contrastive analyst speaks first; without, reminders and merges have their say
    { name: "rules, patch, attempts 1", settings: { ...everything, gate: "rules", attempts: 1 } },
    {
      name: "strict, patch, attempts 1, trials 3",
      settings: { ...everything, gate: "strict", attempts: 1, trials: 3 },
    },
  ];

const splits = world.splits({ train: 64, val: 24, test: 16 });

export const resumeRun =
  (settings: Partial<TrainSettings>): MakeRun =>
  (url, journalDir, out) =>
    scriptedRun({
      url,
      skill,
      splits,
      settings,
      rest: { journalDir, out, concurrency: 16 },
    });

/** The world, counting how often each optimizer contract is asked. */
export function countingWorld(): ChatWorld & { readonly contracts: ReadonlyMap<string, number> } {
  const contracts = new Map<string, number>();
  return {
    contracts,
    reply(request) {
      const name = /^Contract: *(\S+)/m.exec(request.system)?.[1];
      if (name !== undefined) contracts.set(name, (contracts.get(name) ?? 0) + 1);
      return world.reply(request);
    },
  };
}
