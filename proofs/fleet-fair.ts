import { WhetstoneError, evaluate } from "../src/index.ts";
import { type CallRecord, hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { fleetPlace } from "./support/fleet-place.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Two runs share workers fairly, each 40–60% while both have work, and a third process that would continue the same run is refused.";

const limit = 20;

/** The first run fills the queue before the second one starts: a later run mustn't wait for all of it. */
export default async function fleetFair({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const units = numberOption(args, "units", short ? 900 : 3000);
  const world = hiddenRuleWorld({ seed });
  const splits = world.splits({ train: 1, val: units, test: 0 });
  using folder = temporaryDirectory("fleet-fair");
  process.chdir(folder.path);
  await using place = await fleetPlace();
  await using server = await startScriptedServer({ seed, world, latency: { kind: "fixed", ms: 100 } });
  await Promise.all([place.worker(32), place.worker(32)]);
  log(`seed ${seed}; two runs on one model with a limit of ${limit}, 2 worker processes, units of 100 ms`);

  const evaluateSkill = async (rules: number, count: number): Promise<void> => {
    await evaluate({
      skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(rules) } },
      tasks: { train: splits.train, val: splits.val.slice(0, count) },
      target: "office/target",
      optimizer: "office/target",
      baseURL: `${server.url}/v1`,
      spend: { calls: 1_000_000 },
      concurrency: limit,
      executor: "bullmq",
      redis: place.redis.url,
      journal: place.journal,
    });
  };

  const first = evaluateSkill(4, units);
  while (server.callCount < units / 10) await new Promise((resolve) => setTimeout(resolve, 20));
  const refused = await evaluateSkill(4, units).then(
    () => "not refused",
    (error: unknown) => (error instanceof WhetstoneError ? error.code : String(error)),
  );
  log(`a second process that tries to continue the first run: ${refused}`);
  const second = evaluateSkill(2, Math.round(units / 2));
  await Promise.all([first, second]);

  const [firstSkill, secondSkill] = [world.seedSkill(4), world.seedSkill(2)];
  const ofFirst = server.calls.filter(({ request }) => request.system.includes(firstSkill.trim()));
  const ofSecond = server.calls.filter(
    ({ request }) =>
      request.system.includes(secondSkill.trim()) && !request.system.includes(firstSkill.trim()),
  );
  // before that a run asks one thing, then ten, and waits for the answers: it has no more work yet
  const from = at(ofSecond, 11);
  const until = Math.min(at(ofFirst, -1), at(ofSecond, -1));
  const both = (calls: readonly CallRecord[]) =>
    calls.filter((call) => call.at >= from && call.at <= until).length;
  const share = both(ofFirst) / (both(ofFirst) + both(ofSecond));
  log(
    `while both had work (${((until - from) / 1000).toFixed(1)} s): ${both(ofFirst)} units of the first, ${both(ofSecond)} of the second: ${(100 * share).toFixed(1)}% and ${(100 - 100 * share).toFixed(1)}%`,
  );
  const waited = at(ofSecond, 0) - at(ofFirst, Math.round(units / 10) - 1);
  return {
    ok: share >= 0.4 && share <= 0.6 && refused === "run-locked",
    figures: { seed, share: Math.round(1000 * share) / 1000, refused, waitedMs: Math.round(waited) },
  };
}

const at = (calls: readonly CallRecord[], index: number): number => calls.at(index)?.at ?? 0;
