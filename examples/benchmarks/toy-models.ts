// Models that cost nothing and know one thing each, so that every benchmark here runs without a key.
// Real ones are named on the command line: node examples/benchmarks/searchqa.ts openai/gpt-5.4-nano openai/gpt-5.4
import { join } from "node:path";
import { type Config, train } from "../../src/index.ts";
import type { Model, ModelRequest } from "../../src/ports.ts";

/** A target that answers by a function of what it is told and asked. */
export const toyTarget = (answer: (system: string, request: ModelRequest) => string): Model => ({
  id: "toy/target",
  generate: async (request) => reply(answer(request.system ?? "", request)),
});

/** An optimizer that proposes these rules; which of them helps is for the gate to find out. */
export const toyOptimizer = (rules: readonly string[]): Model => ({
  id: "toy/optimizer",
  generate: async () =>
    reply(
      JSON.stringify({
        reasoning: "What the failures have in common.",
        failure_summary: [],
        success_patterns: [],
        edits: rules.map((rule) => ({ op: "append", content: `- ${rule}`, evidence: ["1"] })),
        selected_indices: rules.map((_, at) => at),
        new_skill: rules.map((rule) => `- ${rule}`).join("\n"),
      }),
    ),
});

/** The target that is an agent. */
export const toyAgent = {
  agents: {
    toy: {
      run: ["node", join(import.meta.dirname, "toy-agent.mjs")],
      env: { SKILLS: "{skills}" },
      mounts: [import.meta.dirname],
    },
  },
  target: "toy/default",
  trials: 1,
  baselines: false,
};

const reply = (text: string) => ({
  text,
  finish: "stop" as const,
  usage: { inputTokens: 20, outputTokens: 5 },
});

/** Trains, and says what was learned. */
export async function learn(config: Config & { readonly cwd?: string }): Promise<void> {
  const [, , target = config.target, optimizer = config.optimizer] = process.argv;
  const journal = process.env["BENCHMARK_JOURNAL"] ?? ".whetstone";
  const run = await train({
    effort: "quick",
    spend: { calls: 20_000, usd: 5 },
    journal,
    ...config,
    target,
    optimizer,
  });
  const { verdict, sentence, test } = run.summary;
  console.log(`${verdict}: ${test?.original.toFixed(2)} → ${test?.best.toFixed(2)}\n${sentence}\n`);
  console.log(run.best.text);
}
