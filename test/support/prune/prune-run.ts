import { mainText, singleFileSkill } from "../../../src/method.ts";
import type { Model } from "../../../src/ports.ts";
import {
  type HiddenRuleWorld,
  hiddenRuleWorld,
  memoryJournal,
  seededRandom,
} from "../../../src/testing/index.ts";
import { perform } from "../../../src/run/verbs/perform.ts";
import { pruneVerb } from "../../../src/run/verbs/prune.ts";
import { scriptedModels, scriptedRun } from "../scripted-run.ts";

/** The skill knows 8 of 12 rules; five pieces of advice that change nothing stand among them, one in the appendix. */
export const pruneSettings = {
  rules: 12,
  rulesHeld: 8,
  planted: 5,
  margin: 0.05,
  truth: 600,
} as const;

export interface PruneCase {
  /** How often two rollouts of one task under one skill differ. */
  readonly noise: number;
  readonly val: number;
}

export interface PruneReport extends PruneCase {
  readonly seed: number;
  /** Planted rules that were removed, and useful ones. */
  readonly planted: number;
  readonly useful: number;
  readonly rollouts: number;
  readonly saved: number;
  /** The change of the true score, on tasks that no run has seen. */
  readonly trueChange: number;
}

/** One pruning with the real run around it: executor, journal, memo; the target answers in this process. */
export async function runPruning(seed: number, { noise, val }: PruneCase): Promise<PruneReport> {
  const { rules, rulesHeld, margin, truth } = pruneSettings;
  // chances whose two throws differ as often as asked for
  const passWith = (1 + Math.sqrt(1 - 2 * noise)) / 2;
  const world = hiddenRuleWorld({ seed, rules, passWith, passWithout: 1 - passWith });
  const { text, planted } = plant(world, seed);
  const resolved = scriptedRun({
    url: "http://127.0.0.1:9",
    skill: text,
    splits: { train: [], val: world.tasks(val), test: [] },
    settings: { seed, evalTest: false },
    rest: { modelObjects: new Map([[scriptedModels.target, answerHere(world)]]) },
  });
  const journal = await memoryJournal();
  const since = singleFileSkill(world.seedSkill(0));
  const { summary, result } = await perform(pruneVerb(resolved, { margin, since }), {
    journal,
    artifacts: false,
  });
  await journal.close();
  const removed = summary.table.filter(({ fate }) => fate === "removed").map((row) => row.text);
  const held = world.rules.slice(0, rulesHeld).map(({ sentence }) => `- ${sentence}`);
  const unseen = world.tasks(truth, { start: val });
  const after = mainText(result.best);
  return {
    seed,
    noise,
    val,
    planted: planted.filter((advice) => removed.includes(advice)).length,
    useful: held.filter((rule) => removed.includes(rule)).length,
    rollouts: summary.cost.target?.calls ?? 0,
    saved: summary.tokens.before - summary.tokens.after,
    trueChange: world.trueScore(after, unseen) - world.trueScore(text, unseen),
  };
}

function plant(world: HiddenRuleWorld, seed: number) {
  const { rulesHeld, planted: count } = pruneSettings;
  const random = seededRandom(seed, "planted");
  const planted = world.rules.slice(0, count).map((rule) => `- ${writeAdvice(rule.topic, random)}`);
  const lines = world.seedSkill(rulesHeld).trimEnd().split("\n");
  const [reminder = "", ...advice] = planted;
  for (const line of advice) {
    const first = lines.findIndex((one) => one.startsWith("- "));
    lines.splice(first + Math.floor(random() * (lines.length - first + 1)), 0, line);
  }
  const appendix = ["<!-- whetstone:appendix:start -->", reminder, "<!-- whetstone:appendix:end -->"];
  return { planted, text: `${lines.join("\n")}\n\n${appendix.join("\n")}\n` };
}

function answerHere(world: HiddenRuleWorld): Model {
  return {
    id: scriptedModels.target,
    async generate({ model, system = "", messages, maxTokens }, { key }) {
      const { text } = world.reply({
        protocol: "openai-chat",
        model,
        system,
        messages,
        maxTokens,
        key,
        tools: [],
      });
      return { text, finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

/** A sentence about a topic that changes nothing. */
function writeAdvice(topic: string, random: () => number): string {
  const advice = [
    `Read notes about ${topic} twice before you answer.`,
    `Be careful with ${topic}.`,
    `Think about who sends ${topic} and why.`,
    `Keep the tone friendly when a note is about ${topic}.`,
    `Notes about ${topic} can be long; stay calm.`,
  ];
  return advice[Math.floor(random() * advice.length)] ?? "";
}
