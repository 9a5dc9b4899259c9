import { perform } from "../../src/run/verbs/perform.ts";
import { memoryJournal } from "../../src/adapters/journals/memory.ts";
import type { Range } from "../../src/core/rehearse/range.ts";
import { seededRandom } from "../../src/core/random.ts";
import type { TrainSettings } from "../../src/core/settings.ts";
import { planVerb } from "../../src/run/verbs/plan.ts";
import { trainVerb } from "../../src/run/verbs/train.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../src/testing/index.ts";
import { scriptedRun } from "../../test/support/scripted-run.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** One run, what was said of its price beforehand, and what it came to. Money is in billionths of a US dollar. */
export interface PlanReport {
  readonly nth: number;
  readonly settings: string;
  readonly calls: number;
  readonly nanoUsd: number;
  /** With a journal that knows nothing of these models, and after one short run of them on other tasks. */
  readonly cold: Stated;
  readonly warm: Stated;
}

export interface Stated {
  readonly price: Range;
  readonly calls: Range;
}

/** Draws a world, sizes and settings; plans, runs, and gives both. */
export async function runPlanCase(nth: number, seed: number): Promise<PlanReport> {
  const { world, skill, splits, practice, settings } = drawCase(nth, seed);
  await using server = await startScriptedServer({ seed, world, record: false });
  using folder = temporaryDirectory("plan");
  const rest = { journalDir: folder.path };
  const resolved = scriptedRun({ url: server.url, skill, splits, settings, rest });
  const journal = await memoryJournal();
  const cold = await planVerb(trainVerb(resolved), journal);
  const short = { ...settings, epochs: 1, batchSize: 8, accumulation: 1 };
  const first = scriptedRun({ url: server.url, skill, splits: practice, settings: short, rest });
  await perform(trainVerb(first), { journal, artifacts: false });
  const warm = await planVerb(trainVerb(resolved), journal);
  const { spent } = await perform(trainVerb(resolved), { journal, artifacts: false });
  await journal.close();
  const stated = ({ price: { low, high }, calls }: typeof cold): Stated => ({ price: { low, high }, calls });
  return {
    nth,
    settings: describe(settings, splits),
    calls: spent.calls,
    nanoUsd: spent.nanoUsd,
    cold: stated(cold),
    warm: stated(warm),
  };
}

function drawCase(nth: number, seed: number) {
  const random = seededRandom("plan", seed, nth);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const shares = pick(
    { useful: 0.5, useless: 0.3, harmful: 0.2 },
    { useful: 1, useless: 1, harmful: 1 },
    { useful: 0.9, useless: 0.1, harmful: 0 },
  );
  const rules = pick(8, 12, 20);
  const world = hiddenRuleWorld({
    seed: seed + nth,
    rules,
    passWith: pick(0.75, 0.9),
    passWithout: pick(0.1, 0.3),
    noise: pick(1, 1, 0),
    ...shares,
  });
  const sizes = { train: pick(24, 40, 64), val: pick(16, 32, 48), test: pick(0, 16, 40) };
  const settings: Partial<TrainSettings> = {
    seed: nth,
    epochs: pick(1, 2, 3),
    batchSize: pick(8, 16, 24),
    accumulation: pick(1, 1, 2),
    minibatchSize: pick(4, 8),
    editBudget: pick(2, 4),
    schedule: pick("cosine", "constant", "autonomous"),
    updateMode: pick("patch", "patch", "rewrite", "full-rewrite"),
    gate: pick("filter", "filter", "strict", "paired"),
    stopEarly: pick(true, false),
    trials: pick(1, 3),
    attempts: pick(1, 1, 2),
    slowUpdate: pick(true, false),
    metaSkill: pick(true, false),
    skillAware: pick(false, true),
    baselines: pick(true, false),
    metric: pick("hard", "mixed"),
    failureOnly: pick(false, false, true),
  };
  const splits = world.splits(sizes);
  const start = splits.train.length + splits.val.length + splits.test.length;
  const practice = { train: world.tasks(8, { start }), val: world.tasks(8, { start: start + 8 }), test: [] };
  return { world, skill: world.seedSkill(pick(1, Math.floor(rules / 2))), splits, practice, settings };
}

function describe(
  settings: Partial<TrainSettings>,
  splits: Readonly<Record<string, readonly unknown[]>>,
): string {
  const { epochs, batchSize, accumulation, gate, updateMode, trials, attempts } = settings;
  const sizes = [splits["train"], splits["val"], splits["test"]].map((tasks) => tasks?.length ?? 0).join("/");
  const extras = (["slowUpdate", "metaSkill", "skillAware", "baselines"] as const).filter(
    (name) => settings[name],
  );
  return `${sizes} × ${epochs}, batch ${batchSize}·${accumulation}, ${gate}, ${updateMode}, K ${trials}, k ${attempts}${extras.map((name) => ` +${name}`).join("")}`;
}
