import type { Table } from "./aligned-table.ts";
import { claimAlpha, claimLevel } from "./gate/gate-claims.ts";
import { type JobResult, claimEffects, claimTasks, claimTrials } from "./gate/gate-jobs.ts";

export const gateTables = (claims: readonly JobResult[]): Table[] =>
  [falseAccepts(claims), powerTable(claims), savingTable(claims), coverageTable(claims)].filter(
    ({ rows }) => rows.length > 0,
  );

/** α + 3 standard errors over this many decisions. */
export function falseAcceptLimit(decisions: number): number {
  return claimAlpha + 3 * Math.sqrt((claimAlpha * (1 - claimAlpha)) / decisions);
}

function falseAccepts(claims: readonly JobResult[]): Table {
  const nulls = claims.filter(({ cell }) => cell.effect === 0);
  return {
    title: `Claim: false accepts at α = ${claimAlpha.toFixed(4)}, the bar of a first read, in percent`,
    head: ["tasks × trials", "no effect", "gains and losses that cancel", "limit (α + 3 SE)", "decisions"],
    rows: sizes().flatMap(({ tasks, trials }) => {
      const found = (kind: "even" | "mixed") =>
        nulls.find(({ cell }) => cell.tasks === tasks && cell.trials === trials && cell.kind === kind);
      const [even, mixed] = [found("even"), found("mixed")];
      if (even === undefined || mixed === undefined) return [];
      const rates = ({ result }: JobResult) => (result.refused ? "refused" : percent(result.accepted, 2));
      const limit = percent(falseAcceptLimit(even.cell.decisions), 2);
      return [[`${tasks} × ${trials}`, rates(even), rates(mixed), limit, String(even.cell.decisions)]];
    }),
  };
}

function powerTable(claims: readonly JobResult[]): Table {
  return byEffect(
    claims,
    'Claim: how often it says "better" at flip rate 0.2, in percent, by true effect in points',
    ({ result }) => percent(result.accepted, 1),
  );
}

function savingTable(claims: readonly JobResult[]): Table {
  return byEffect(
    claims,
    "Exact stop: share of candidate rollouts saved, in percent, by true effect in points (0 changed decisions in every cell unless marked)",
    ({ result }) => `${percent(result.saved, 0)}${result.changed > 0 ? ` (${result.changed} changed)` : ""}`,
  );
}

function coverageTable(claims: readonly JobResult[]): Table {
  return byEffect(
    claims,
    `Interval: how often the ${percent(claimLevel, 1)}% interval holds the truth, in percent, by true effect in points`,
    ({ result }) => percent(result.covered, 1),
  );
}

function byEffect(claims: readonly JobResult[], title: string, show: (claim: JobResult) => string): Table {
  const even = claims.filter(({ cell }) => cell.kind === "even");
  return {
    title,
    head: ["tasks × trials", ...claimEffects.map((effect) => signed(effect))],
    rows: sizes().flatMap(({ tasks, trials }) => {
      const cells = even.filter(({ cell }) => cell.tasks === tasks && cell.trials === trials);
      if (cells.length === 0) return [];
      const values = claimEffects.map((effect) => {
        const claim = cells.find(({ cell }) => cell.effect === effect);
        return claim === undefined ? "" : claim.result.refused ? "refused" : show(claim);
      });
      return [[`${tasks} × ${trials}`, ...values]];
    }),
  };
}

const sizes = () => claimTasks.flatMap((tasks) => claimTrials.map((trials) => ({ tasks, trials })));
const percent = (share: number, digits: number): string => (100 * share).toFixed(digits);
const signed = (value: number, digits = 0): string => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
