import { claimAlpha } from "./gate/gate-claims.ts";
import { type JobResult, type SearchTable, claimEffects, claimTasks, claimTrials } from "./gate/gate-jobs.ts";
import type { GateName } from "./gate/gate-rivals.ts";
import type { SearchCell } from "./gate/gate-world.ts";

/** A table for people: the terminal and RESULTS.md print the same. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table for a terminal. */
export function alignedTable({ title, head, rows }: Table): string[] {
  const widths = head.map((word, column) =>
    Math.max(word.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return ["", title, line(head), ...rows.map(line)];
}

type Claim = Extract<JobResult, { kind: "claim" }>;
type Search = Extract<JobResult, { kind: "search" }>;
type Sealed = Extract<JobResult, { kind: "sealed" }>;

export function gateTables(results: readonly JobResult[]): Table[] {
  const claims = results.filter((result) => result.kind === "claim");
  const searches = results.filter((result) => result.kind === "search");
  const sealed = results.filter((result) => result.kind === "sealed");
  return [
    falseAccepts(claims),
    powerTable(claims),
    savingTable(claims),
    coverageTable(claims),
    searchTable(
      searches,
      "main",
      "Search: true gain in points (standard error) at equal budget of 41 passes",
    ),
    searchTable(searches, "weak", "Search, weak spots: hostile proposals with few tasks or half the effect"),
    searchTable(
      searches,
      "beyond",
      "Search, beyond: other lengths, graded and fixed scores, falling quality",
    ),
    optimismTable(searches),
    sealedTable(sealed),
  ].filter(({ rows }) => rows.length > 0);
}

/** α + 3 standard errors over this many decisions. */
export function falseAcceptLimit(decisions: number): number {
  return claimAlpha + 3 * Math.sqrt((claimAlpha * (1 - claimAlpha)) / decisions);
}

function falseAccepts(claims: readonly Claim[]): Table {
  const nulls = claims.filter(({ cell }) => cell.effect === 0);
  return {
    title: `Claim: false accepts at α = ${claimAlpha}, in percent`,
    head: ["tasks × trials", "no effect", "gains and losses that cancel", "limit (α + 3 SE)", "decisions"],
    rows: sizes().flatMap(({ tasks, trials }) => {
      const found = (kind: "even" | "mixed") =>
        nulls.find(({ cell }) => cell.tasks === tasks && cell.trials === trials && cell.kind === kind);
      const [even, mixed] = [found("even"), found("mixed")];
      if (even === undefined || mixed === undefined) return [];
      const rates = ({ result }: Claim) => (result.refused ? "refused" : percent(result.accepted, 2));
      const limit = percent(falseAcceptLimit(even.cell.decisions), 2);
      return [[`${tasks} × ${trials}`, rates(even), rates(mixed), limit, String(even.cell.decisions)]];
    }),
  };
}

function powerTable(claims: readonly Claim[]): Table {
  return byEffect(
    claims,
    'Claim: how often it says "better" at flip rate 0.2, in percent, by true effect in points',
    ({ result }) => percent(result.accepted, 1),
  );
}

function savingTable(claims: readonly Claim[]): Table {
  return byEffect(
    claims,
    "Exact stop: share of candidate rollouts saved, in percent, by true effect in points (0 changed decisions in every cell unless marked)",
    ({ result }) => `${percent(result.saved, 0)}${result.changed > 0 ? ` (${result.changed} changed)` : ""}`,
  );
}

function coverageTable(claims: readonly Claim[]): Table {
  return byEffect(
    claims,
    "Interval: how often the 90 % interval holds the truth, in percent, by true effect in points",
    ({ result }) => percent(result.covered, 1),
  );
}

function byEffect(claims: readonly Claim[], title: string, show: (claim: Claim) => string): Table {
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

const gateWords: Readonly<Record<GateName, string>> = {
  strict: "strict",
  test: "test at 0.1",
  confirm: "confirm, exact stop",
  reference: "reference filter",
  filter: "ours",
};

function searchTable(searches: readonly Search[], table: SearchTable, title: string): Table {
  const own = searches.filter((search) => search.table === table);
  const gates = [...new Set(own.map(({ gate }) => gate))];
  return {
    title,
    head: ["cell", ...gates.map((gate) => gateWords[gate]), "passes (ours)", "ends below (reference, ours)"],
    rows: groupByCell(own).map(([name, group]) => {
      const of = (gate: GateName) => group.find((search) => search.gate === gate)?.result;
      const below = (["reference", "filter"] as const).map((gate) => percent(of(gate)?.below ?? 0, 0));
      return [
        name,
        ...gates.map((gate) => withError(of(gate)?.gain ?? 0, of(gate)?.error ?? 0)),
        (of("filter")?.passes ?? 0).toFixed(1),
        `${below.join(" %, ")} %`,
      ];
    }),
  };
}

function optimismTable(searches: readonly Search[]): Table {
  const main = searches.filter(({ table }) => table === "main");
  const gates = [...new Set(main.map(({ gate }) => gate))];
  return {
    title: "Search: the rule's own idea of the final score minus the truth, in points",
    head: ["cell", ...gates.map((gate) => gateWords[gate])],
    rows: groupByCell(main).map(([name, group]) => [
      name,
      ...gates.map((gate) => signed(group.find((one) => one.gate === gate)?.result.optimism ?? 0, 1)),
    ]),
  };
}

function sealedTable(sealed: readonly Sealed[]): Table {
  return {
    title:
      "Claim after search: forty decisions with ours, then one sealed reading (100 tasks × 3 trials, first read)",
    head: ["cell", "sealed minus true gain, points", "true gain", "adopted", "falsely adopted", "runs"],
    rows: sealed.map(({ cell, repetitions, result }) => [
      cellName(cell),
      withError(result.bias, result.error, 2),
      result.gain.toFixed(1),
      `${percent(result.adopted, 1)} %`,
      `${percent(result.falselyAdopted, 1)} %`,
      String(repetitions),
    ]),
  };
}

/** The results of all gates on one cell, in order of appearance. */
export function groupByCell(searches: readonly Search[]): [string, Search[]][] {
  const groups = new Map<string, Search[]>();
  for (const search of searches) {
    const name = cellName(search.cell);
    groups.set(name, [...(groups.get(name) ?? []), search]);
  }
  return [...groups];
}

export function cellName({ tasks, base, mix, decisions, scale, scores, isFalling }: SearchCell): string {
  const extras = [
    decisions === 40 ? "" : `${decisions} decisions`,
    scale === 1 ? "" : `effects × ${scale}`,
    scores === "pass-fail" ? "" : scores,
    isFalling ? "falling" : "",
  ].filter((word) => word !== "");
  return [`${mix} ${base} n=${tasks}`, ...extras].join(", ");
}

const sizes = () => claimTasks.flatMap((tasks) => claimTrials.map((trials) => ({ tasks, trials })));
const percent = (share: number, digits: number): string => (100 * share).toFixed(digits);
const signed = (value: number, digits = 0): string => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
const withError = (value: number, error: number, digits = 1): string =>
  `${value.toFixed(digits)} (${error.toFixed(digits)})`;
