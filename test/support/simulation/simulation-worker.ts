// node simulation-worker.ts <first seed> <step> <last seed> <repeat>: one line for each seed; every <repeat>-th seed runs twice.
import { checkScores, decisions } from "./simulation-checks.ts";
import { planSimulation, withoutFaults } from "./simulation-plan.ts";
import { simulate } from "./simulation-run.ts";

export interface SeedReport {
  readonly seed: number;
  readonly hash: string;
  readonly executions: number;
  readonly crashes: number;
  readonly stops: number;
  readonly calls: number;
  readonly scored: number;
  /** Results that the finished run says are missing. */
  readonly pending: number;
  readonly virtualMs: number;
  readonly isRepeated: boolean;
  readonly violations: readonly string[];
}

const [first = 1, step = 1, last = 1, repeat = 10] = process.argv.slice(2).map(Number);
for (let seed = first; seed <= last; seed += step) {
  const report = await runSeed(seed, seed % repeat === 0);
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

async function runSeed(seed: number, isRepeated: boolean): Promise<SeedReport> {
  const plan = planSimulation(seed);
  const calm = await simulate(withoutFaults(plan));
  const history = await simulate(plan, calm.ledger.spent);
  const violations = [
    ...calm.violations.map((violation) => `without faults: ${violation}`),
    ...history.violations,
  ];
  const scores = await checkScores(history);
  violations.push(...scores.violations);
  if (calm.executions !== 1 || calm.result === undefined)
    violations.push("without faults it did not end at once");
  // a run that says that results are missing may have decided otherwise; it has marked what it could not judge
  if (scores.pending === 0 && decisions(history) !== decisions(calm)) {
    violations.push("decisions differ from those of the run without faults");
  }
  if (isRepeated && (await simulate(plan, calm.ledger.spent)).hash !== history.hash) {
    violations.push("the same seed gave two histories");
  }
  const { hash, executions, crashes, stops, calls, virtualMs } = history;
  const { scored, pending } = scores;
  return {
    seed,
    hash,
    executions,
    crashes,
    stops,
    calls,
    scored,
    pending,
    virtualMs,
    isRepeated,
    violations,
  };
}
