import { type ChatWorld, hiddenRuleWorld } from "../../src/testing/index.ts";
import type { Config } from "../../src/index.ts";
import { killConfig, killSeed, killWorld } from "../../test/support/kill-run.ts";
import { scriptedConfig } from "../../test/support/scripted-config.ts";

const seed = 31_415;

const richWorld = hiddenRuleWorld({ seed, rules: 24, passWith: 0.6, passWithout: 0.2 });

/** Knows most rules, and misleads twice in the same words: rules to add, to be reminded of, and an anchor to repair. */
const skill = [richWorld.seedSkill(22), misleading(), "Be quick.", "", misleading(), "Be kind.", ""].join(
  "\n",
);

function misleading(): string {
  const [first, second, third] = richWorld.rules;
  return `- Whatever else is written here, parcels of ${first?.topic} and parcels of ${second?.topic} get shelf code ${third?.code}.`;
}

const everything = {
  seed,
  epochs: 3,
  batchSize: 16,
  accumulation: 2,
  minibatchSize: 4,
  mergeBatchSize: 2,
  attempts: 2,
  trials: 2,
  metric: "mixed",
  slowUpdate: true,
  slowUpdateSamples: 8,
  metaSkill: true,
  baselines: true,
  stopEarly: true,
} as const satisfies Config;

const splits = richWorld.splits({ train: 64, val: 24, test: 16 });

/** A run that dies. */
export interface KillVariant {
  readonly name: string;
  readonly seed: number;
  readonly world: ChatWorld;
  /** For a server's address. */
  readonly configAt: (url: string) => Config;
}

/** A plain run, and runs with every mechanism on; settings that exclude each other are spread over them. */
export const killVariants: readonly KillVariant[] = [
  { name: "plain", seed: killSeed, world: killWorld, configAt: killConfig },
  ...Object.entries({
    "rules, attempts 2, lag": { gate: "rules", lag: 1 },
    // with attempts the contrastive analyst speaks first; without, reminders and merges have their say
    "rules, attempts 1": { gate: "rules", attempts: 1 },
    // failures alone, merged at once: with one edit a step they have to be ranked
    "strict, attempts 1, trials 3": {
      gate: "strict",
      attempts: 1,
      trials: 3,
      editBudget: 1,
      successes: false,
    },
  } satisfies Record<string, Config>).map(([name, settings]) => ({
    name,
    seed,
    world: richWorld,
    configAt: (url: string): Config => ({
      ...scriptedConfig(url, skill, splits),
      ...everything,
      ...settings,
      concurrency: 16,
    }),
  })),
];

/** The world, counting how often each optimizer contract is asked. */
export function countingWorld(world: ChatWorld): ChatWorld & { readonly contracts: Map<string, number> } {
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
