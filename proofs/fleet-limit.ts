import { type Config, evaluate } from "../src/index.ts";
import { hiddenRuleWorld, type ScriptedServer, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { endProcess, fleetPlace } from "./support/fleet-place.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "With a limit of 10 for a model, 4 worker processes together never have more than 10 calls in flight.";

const limit = 10;
const workerCount = 4;

/** Seen at the scripted server, with one run, with two at once, and while workers are killed and replaced. */
export default async function fleetLimit({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const units = numberOption(args, "units", short ? 300 : 1500);
  const world = hiddenRuleWorld({ seed });
  const tasks = world.splits({ train: 1, val: units, test: 0 });
  using folder = temporaryDirectory("fleet-limit");
  process.chdir(folder.path);
  await using place = await fleetPlace();
  const workers = await Promise.all(Array.from({ length: workerCount }, () => place.worker(64)));
  log(`seed ${seed}; ${workerCount} processes of \`whetstone worker --concurrency 64\`, Redis, PostgreSQL`);
  log(`${units} units of 50 to 250 ms, limit ${limit}`);

  const measure = async (what: string, runs: number, fresh: string, meanwhile?: () => Promise<void>) => {
    await using server = await startScriptedServer({
      seed,
      world,
      latency: { kind: "uniform", minMs: 50, maxMs: 250 },
      record: false,
    });
    const started = performance.now();
    const settings = Array.from({ length: runs }, (_, run) => configOf(server, `${fresh}-${run}`));
    await Promise.all([...settings.map((config) => evaluate(config)), meanwhile?.()]);
    const seconds = (performance.now() - started) / 1000;
    const { maxInFlight: most, callCount } = server;
    const busy = (callCount * 0.15) / (limit * seconds);
    log(
      `${what.padEnd(34)} at most ${most} in flight, ${callCount} calls in ${seconds.toFixed(1)} s (${(100 * busy).toFixed(0)}% of the limit used)`,
    );
    return { most, callCount, busy };
  };

  const configOf = (server: ScriptedServer, fresh: string): Config => ({
    skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(4) } },
    tasks: { train: tasks.train, val: tasks.val },
    target: "office/target",
    optimizer: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 1_000_000 },
    concurrency: limit,
    executor: "bullmq",
    redis: place.redis.url,
    journal: place.journal,
    fresh,
  });

  const one = await measure("one run", 1, "one");
  const two = await measure("two runs of one model at once", 2, "two");
  const killed = await measure("one run, workers killed one by one", 1, "killed", async () => {
    for (const worker of workers) {
      await new Promise((resolve) => setTimeout(resolve, short ? 800 : 3000));
      await endProcess(worker);
      await place.worker(64);
    }
  });
  const all = [one, two, killed];
  return {
    ok: all.every(({ most }) => most <= limit) && one.most === limit && two.most === limit,
    figures: {
      seed,
      limit,
      workers: workerCount,
      mostInFlight: all.map(({ most }) => most),
      share: round(one.busy),
      repeats: killed.callCount - one.callCount,
    },
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;
