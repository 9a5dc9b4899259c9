import { readFileSync } from "node:fs";
import { join } from "node:path";
import { alignedTable } from "../../../test/support/aligned-table.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";
import { type SearchReport, worldSettings } from "../../../test/support/world/world-run.ts";

const claim =
  "If every reply is random and two of three edits are useless or harmful, the gate `rules` gains. With equal rollouts it has fewer useless rules than the filter and no more harmful ones than strict; strict gains more there.";

longTest(claim, world, ["--seeds", "2"]);

const support = join(import.meta.dirname, "../../../test/support/world");

async function world({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 4 : 20);
  const first = numberOption(args, "first", 1);
  const last = first + seeds - 1;
  describeWorld(log);
  log(`seeds ${first} to ${last}; the filter is recorded (recorded-filter.json says how)`);
  const lines = await runWorkers<SearchReport>(join(support, "world-worker.ts"), [
    [first, 2, last],
    [first + 1, 2, last],
  ]);
  const reports = lines.flat();
  const of = (gate: SearchReport["gate"]) =>
    reports.filter((report) => report.gate === gate).toSorted((a, b) => a.seed - b.seed);
  const [strict, rules, filter] = [of("strict"), of("rules"), recorded()];
  for (const line of alignedTable({
    title: "True gain in points (standard error) and what was added to the text, on average",
    head: ["gate", "gain", "useful", "useless", "harmful", "doubled", "tokens", "val rollouts", "seeds"],
    rows: [row("strict", strict), row("filter, recorded", filter), row("rules", rules)],
  }))
    log(line);
  log("What it leaves out: its rules concern one kind of parcel each, and its optimizer writes by a script.");
  const figures = { strict: figuresOf(strict), filter: figuresOf(filter), rules: figuresOf(rules) };
  const { gain, useless, harmful } = figures.rules;
  const isLean = useless < figures.filter.useless && harmful <= figures.strict.harmful + (short ? 1 : 0);
  const isEqual = figures.rules.rollouts <= 1.01 * figures.strict.rollouts;
  return { ok: gain > 0 && isLean && isEqual, figures: { seeds, first, ...figures } };
}

/** The filter gate's searches, one line each: the last commit that had it, run on the same worlds. */
function recorded(): readonly SearchReport[] {
  const text = readFileSync(join(support, "recorded-filter.json"), "utf8");
  return (JSON.parse(text) as { readonly searches: readonly SearchReport[] }).searches;
}

function describeWorld(log: ProofOptions["log"]): void {
  const { rules, rulesHeld, passWith, passWithout, passHarmed, shares, sizes } = worldSettings;
  const total = shares.useful + shares.useless + shares.harmful;
  log(
    `world: ${rules} rules, the skill knows ${rulesHeld}; a task passes with chance ${passWith} when its rule`,
  );
  log(
    `is known, ${passWithout} when not and ${passHarmed} when the skill misleads; every call is its own throw`,
  );
  log(
    `proposals: ${shares.useful}/${total} useful, ${shares.useless}/${total} useless, ${shares.harmful}/${total} harmful (each misleads about two kinds)`,
  );
  log(`${sizes.train} train and ${sizes.val} val tasks, the program's own defaults over real sockets`);
  log(`true scores are computed on ${sizes.test} tasks that no run has seen`);
}

function figuresOf(reports: readonly SearchReport[]) {
  const gains = reports.map(({ before, after }) => 100 * (after - before));
  const average = (of: (report: SearchReport) => number) => round(mean(reports.map(of)));
  return {
    gain: round(mean(gains)),
    error: round(deviation(gains) / Math.sqrt(gains.length)),
    useful: average(({ useful }) => useful),
    useless: average(({ useless }) => useless),
    harmful: average(({ harmful }) => harmful),
    doubled: average(({ doubled }) => doubled),
    tokens: Math.round(mean(reports.map(({ tokens }) => tokens))),
    rollouts: Math.round(mean(reports.map(({ rollouts }) => rollouts))),
    seeds: reports.length,
  };
}

function row(name: string, reports: readonly SearchReport[]): readonly string[] {
  const { gain, error, ...others } = figuresOf(reports);
  return [name, `${gain} (${error})`, ...Object.values(others).map(String)];
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / Math.max(values.length - 1, 1));
}

const round = (value: number): number => Math.round(value * 10) / 10;
