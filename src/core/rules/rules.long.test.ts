import { join } from "node:path";
import { alignedTable } from "../../../test/support/aligned-table.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { ruleCells } from "../../../test/support/rules/rule-cells.ts";
import { isAdditive, keptShares, mean, ruleShortfalls } from "../../../test/support/rules/rule-checks.ts";
import { type RuleCellResult, ruleCellResult } from "../../../test/support/rules/rule-results.ts";
import { shareRepetitions } from "../../../test/support/share-repetitions.ts";

const claim =
  "With equal rollouts, measuring every rule gains more than judging patches, keeps fewer useless or harmful rules, and rarely ends below the original.";

// the first of the seeds that nothing was tuned on
longTest(claim, rules, ["--seeds", "2", "--cells", "n=20|n=50"]);

async function rules({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 30_001);
  const repetitions = numberOption(args, "seeds", short ? 6 : 400);
  const only = args.includes("--cells") ? (args[args.indexOf("--cells") + 1] ?? ".") : ".";
  const cells = ruleCells.filter(({ name }) => new RegExp(only).test(name));
  log(
    `${cells.length} cells, ${repetitions} seeds from ${seed} (--seed, --seeds, --workers, --cells <expression>)`,
  );
  const counts = await shareRepetitions({
    script: join(import.meta.dirname, "../../../test/support/rules/rules-worker.ts"),
    cells: cells.length,
    repetitions,
    workers: numberOption(args, "workers", 1),
    seed,
    options: [only],
    onCell: (cell) => log(`${cells[cell]?.name}`),
  });
  const results = cells.map((cell, at) => ruleCellResult(cell, counts[at] ?? {}, repetitions));
  for (const line of gainTable(results)) log(line);
  const shortfalls = ruleShortfalls(results, short);
  for (const shortfall of shortfalls) log(`SHORT: ${shortfall}`);
  return {
    ok: shortfalls.length === 0,
    figures: { seed, seeds: repetitions, ...figures(results), shortfalls },
  };
}

function gainTable(results: readonly RuleCellResult[]): string[] {
  const withError = ({ gain, error }: RuleCellResult["ours"]) => `${gain.toFixed(1)} (${error.toFixed(1)})`;
  return alignedTable({
    title: "True gain in points (standard error); reference and filter are recorded",
    head: [
      "cell",
      "strict",
      "filter",
      "reference",
      "offered",
      "full",
      "lean",
      "kept: useful/useless/harmful",
      "tokens",
      "below",
      "95% holds",
    ],
    rows: results.map((one) => [
      one.cell.name,
      ...[one.strict, one.filter, one.reference, one.ours, one.full, one.lean].map(withError),
      [one.useful, one.useless, one.harmful].map((kept) => kept.toFixed(1)).join("/"),
      one.tokens.toFixed(0),
      `${(100 * one.ours.below).toFixed(0)}%`,
      `${(100 * one.held).toFixed(0)}%${isAdditive(one) ? "" : " (printed only)"}`,
    ]),
  });
}

function figures(results: readonly RuleCellResult[]) {
  const { useful, harmful } = keptShares(results);
  const gain = (name: "ours" | "full" | "lean" | "strict" | "filter" | "reference") =>
    round(mean(results.map((one) => one[name].gain)));
  return {
    gain: gain("ours"),
    full: gain("full"),
    lean: gain("lean"),
    strict: gain("strict"),
    filter: gain("filter"),
    reference: gain("reference"),
    below: round(mean(results.map(({ ours }) => ours.below))),
    usefulKept: round(useful),
    harmfulKept: round(harmful),
    held: round(mean(results.flatMap((one) => (isAdditive(one) ? [one.held] : [])))),
  };
}

const round = (value: number): number => Math.round(1000 * value) / 1000;
