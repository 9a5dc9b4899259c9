import { readFileSync } from "node:fs";
import { join } from "node:path";
import { train } from "../src/index.ts";
import { singleFileSkill } from "../src/method.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "An optimizer that knows only what a prompt shows gains at least 1.3 times as much per call as with the prompts of version 0.2.";

/** Of 0.2, by this program on the commit before its prompts changed (41daf10d), seeds 501 to 512. */
const before = { gain: 55.2, calls: 52.8, tokens: 87_957, kept: 9.4 };

const offices = {
  steady: { noise: 0.1 },
  noisy: { noise: 0.5 },
  "many idle proposals": { noise: 0.2, useful: 0.35, useless: 0.5, harmful: 0.15 },
} as const;

export default async function prompts({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 1 : 12);
  const first = numberOption(args, "seed", 501);
  log(
    `${Object.keys(offices).length} offices of 8 rules, the skill knows 2; 60 train and 60 val tasks, 3 epochs`,
  );
  log(
    "the scripted optimizer fixes what a prompt shows it: this shows that the information arrives, not that a model uses it",
  );
  for (const line of recordedRuns()) log(line);
  const runs: Measured[] = [];
  for (const name of Object.keys(offices))
    for (let seed = first; seed < first + seeds; seed += 1) runs.push(await runOffice(name, seed));
  const mean = (of: (run: Measured) => number) => runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  const now = {
    gain: mean(({ gain }) => gain),
    calls: mean(({ calls }) => calls),
    tokens: mean(({ tokens }) => tokens),
    kept: mean(({ kept }) => kept),
  };
  for (const [name, one] of Object.entries({ "0.2": before, now }))
    log(
      `${name}: gain ${one.gain.toFixed(1)} with ${one.calls.toFixed(0)} optimizer calls, ${(one.gain / one.calls).toFixed(2)} points a call; ` +
        `${(one.calls / one.kept).toFixed(1)} calls and ${(one.tokens / one.kept).toFixed(0)} tokens per kept rule`,
    );
  const ratio = now.gain / now.calls / (before.gain / before.calls);
  log(`${ratio.toFixed(2)} times the points per call`);
  // of a few runs only that they gain
  return { ok: short ? now.gain > 0 : ratio >= 1.3, figures: { first, seeds, ratio, now } };
}

interface Measured {
  /** True points, on tasks that no run has seen. */
  readonly gain: number;
  /** Of the optimizer. */
  readonly calls: number;
  readonly tokens: number;
  readonly kept: number;
}

async function runOffice(name: string, seed: number): Promise<Measured> {
  const world = hiddenRuleWorld({
    seed,
    rules: 8,
    passWith: 0.97,
    passWithout: 0.1,
    ...offices[name as keyof typeof offices],
  });
  using folder = temporaryDirectory("prompts");
  await using server = await startScriptedServer({ seed, world, record: false });
  const original = world.seedSkill(2);
  const { best, summary } = await train({
    skill: singleFileSkill(original),
    tasks: world.splits({ train: 60, val: 60, test: 1 }),
    target: "office/target",
    optimizer: "office/optimizer",
    providers: { office: { baseURL: `${server.url}/v1` } },
    prices: { "office/target": { input: 0, output: 0 }, "office/optimizer": { input: 0, output: 0 } },
    epochs: 3,
    batchSize: 20,
    evalTest: false,
    baselines: false,
    seed,
    spend: { calls: 5000 },
    cwd: folder.path,
  });
  const fresh = world.tasks(1000, { start: 10_000 });
  const { calls = 0, tokens = 0 } = summary.cost.optimizer ?? {};
  return {
    gain: 100 * (world.trueScore(best.text, fresh) - world.trueScore(original, fresh)),
    calls,
    tokens,
    kept: (summary.rules?.rules ?? []).filter(({ state }) => state === "kept").length,
  };
}

const recordings = join(import.meta.dirname, "../test/fixtures/real-run/prompts");

const recorded = (name: string): readonly Readonly<Record<string, string>>[] =>
  readFileSync(join(recordings, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);

/** A frontier model's results with the prompts of 0.2 and with these, in one training each, without a threshold. */
function recordedRuns(): readonly string[] {
  const fresh = recorded("fresh");
  return ["tickets-0.2", "tickets", "few-0.2", "few"].map((name) => {
    const calls = recorded(name);
    const tokens = calls.reduce(
      (sum, { system, user, reply }) => sum + `${system}${user}${reply}`.length / 4,
      0,
    );
    const failures = calls.flatMap(({ contract, user = "" }) =>
      contract === "analyst_error" ? [...user.matchAll(/^Task id: /gm)] : [],
    );
    const isEmpty = ({ reply = "" }: Readonly<Record<string, string>>) => /"edits":\s*\[\s*\]/.test(reply);
    const isScored = name in (fresh[0] ?? {});
    const right = fresh.filter((ticket) => ticket[name] === ticket["expected"]).length;
    return (
      `recorded with a real model, ${name}: ${calls.length} optimizer calls, ${Math.round(tokens)} tokens, ${failures.length} failures shown, ` +
      `${calls.filter(isEmpty).length} empty answers${isScored ? `; ${right} of ${fresh.length} fresh tickets right` : ""}`
    );
  });
}
