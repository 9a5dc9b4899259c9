import {
  type Series,
  difficulties,
  simulateNights,
} from "../../../../test/support/many-nights/simulate-nights.ts";
import { longTest } from "../../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../../test/support/proof.ts";

const claim =
  "With 2 or 4 fresh val tasks a night and 3 trials, a rule worth 40 points is proven within 10 nights in at least 90 % of the seeds, and a useless one within 20 nights in at most 10 %.";

longTest(claim, manyNights);

const trials = 3;

/** The true rule and the useless one are claimed; the others show how it goes on. */
const effects = [
  { name: "true", effect: 0.4, nights: 10 },
  { name: "weak", effect: 0.2, nights: 20 },
  { name: "useless", effect: 0, nights: 20 },
  { name: "harmful", effect: -0.2, nights: 20 },
] as const;

async function manyNights({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 200 : 2000);
  const first = numberOption(args, "first", 1);
  log(
    `a task is passed without the rule with one of these chances, each as likely: ${difficulties.join(" ")}`,
  );
  log(`the rule adds its effect to that chance (never below 0 or above 1); ${trials} trials in each arm`);
  log(
    "a task is won or lost by its means; e ≥ 10 proves, and must hold once more on a fresh draw that night",
  );
  log("useless rules must already stay below a tenth at e ≥ 10, without that second look");
  log(`seeds ${first} to ${first + seeds - 1}`);
  log("");
  log(
    row(
      "rule",
      "effect",
      "val a night",
      "nights",
      "e ≥ 10",
      "proven",
      "rejected",
      "dropped",
      "open",
      "median night",
      "returned",
    ),
  );
  const rows = effects.flatMap(({ name, effect, nights }) =>
    [2, 4].map((val) => tabulate(name, { val, trials, effect, nights }, first, seeds, log)),
  );
  const of = (name: string) => rows.filter((one) => one.rule === name);
  const ok = of("true").every((one) => one.proven >= 0.9) && of("useless").every((one) => one.reached <= 0.1);
  return { ok, figures: { seeds, first, trials, difficulties: [...difficulties], rows } };
}

function tabulate(
  rule: string,
  plan: Omit<Series, "seed">,
  first: number,
  seeds: number,
  log: ProofOptions["log"],
) {
  const ends = Array.from({ length: seeds }, (_, index) => simulateNights({ ...plan, seed: first + index }));
  const part = (status: string) => ends.filter((end) => end.status === status).length / seeds;
  const nights = ends.filter(({ status }) => status === "proven").map(({ night }) => night);
  const median = nights.toSorted((a, b) => a - b)[Math.floor(nights.length / 2)] ?? null;
  const figures = {
    rule,
    effect: plan.effect,
    val: plan.val,
    nights: plan.nights,
    reached: ends.filter(({ status, returned }) => status === "proven" || returned > 0).length / seeds,
    proven: part("proven"),
    rejected: part("rejected"),
    dropped: part("dropped"),
    open: part("open"),
    medianNight: median,
    returned: ends.reduce((sum, { returned }) => sum + returned, 0),
  };
  log(
    row(
      rule,
      `${plan.effect < 0 ? "−" : "+"}${Math.abs(100 * plan.effect)}`,
      String(plan.val),
      String(plan.nights),
      percent(figures.reached),
      percent(figures.proven),
      percent(figures.rejected),
      percent(figures.dropped),
      percent(figures.open),
      median === null ? "–" : String(median),
      String(figures.returned),
    ),
  );
  return figures;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const row = (...cells: readonly string[]): string =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(9) : cell.padStart(12))).join(" ");
