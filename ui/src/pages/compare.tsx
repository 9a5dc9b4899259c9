import { compareChart } from "../../../src/report/charts.ts";
import type { RunReport } from "../../../src/report/model.ts";
import { Chart } from "../components/chart.tsx";
import { Diff } from "../components/diff.tsx";
import { FigureTable } from "../components/figure-table.tsx";
import { Loaded, Message } from "../components/message.tsx";
import { VerdictBadge } from "../components/badge.tsx";
import { useApp } from "../context.ts";
import { count, duration, formatUsd, nameOf, percent, points, shortId, when } from "../format.ts";
import { linkTo } from "../router.ts";
import { useTheme } from "../theme.ts";
import { useNarrow } from "../use-media.ts";
import { useRun } from "../use-load.ts";

/** Two runs beside each other: what they came to, what they took, and how their best skills differ. */
export function ComparePage({ runs: [first, second] }: { readonly runs: readonly [string, string] }) {
  const [one, other] = [useRun(first), useRun(second)];
  const { source } = useApp();
  if (source.kind === "standalone")
    return (
      <Message title="This file holds one run.">
        <code>whetstone ui</code> compares any two.
      </Message>
    );
  if (first === second)
    return (
      <Message title="This is one and the same run.">
        <a href={linkTo({ page: "runs" })}>Select two runs.</a>
      </Message>
    );
  return (
    <Loaded load={one} what="the first run">
      {(left) => (
        <Loaded load={other} what="the second run">
          {(right) => <Comparison reports={[left, right]} />}
        </Loaded>
      )}
    </Loaded>
  );
}

type Pair = readonly [RunReport, RunReport];

function Comparison({ reports }: { readonly reports: Pair }) {
  return (
    <>
      <h1>Two runs compared</h1>
      <p class="soft">
        Each gain is measured against its own original on its own test set: the two are comparable only where
        skill, tasks and models are the same. <code>whetstone compare</code> tests two skills against each
        other.
      </p>
      <div class="panels">
        {reports.map(({ overview }, at) => (
          <section class="panel" key={overview.id} aria-label={`Run ${letters[at]}`}>
            <h2>
              {letters[at]}:{" "}
              <a href={linkTo({ page: "run", run: overview.id })}>
                {nameOf(overview)} <span class="mono">{shortId(overview.id)}</span>
              </a>
            </h2>
            <p>
              <VerdictBadge overview={overview} />
            </p>
            <p>{overview.sentence}</p>
          </section>
        ))}
        <Curves reports={reports} />
        <section class="panel whole">
          <h2>Figures</h2>
          <div class="scroll-aside" tabIndex={0} role="region" aria-label="Figures of both runs">
            <FigureTable
              caption="Figures of both runs"
              columns={["Figure", ...names(reports)]}
              rows={figures(reports)}
            />
          </div>
        </section>
        <section class="panel whole">
          <h2>Best skill of A against best skill of B</h2>
          <SkillDiff reports={reports} />
        </section>
      </div>
    </>
  );
}

const letters = ["A", "B"] as const;
const names = (reports: Pair): readonly string[] =>
  reports.map(({ overview }, at) => `${letters[at]} ${shortId(overview.id)}`);

function Curves({ reports }: { readonly reports: Pair }) {
  const theme = useTheme();
  const narrow = useNarrow();
  const labels = names(reports);
  const named = reports.map((report, at) => ({ name: labels[at] ?? "", report }));
  const steps = Math.max(...reports.map((report) => report.steps.length));
  if (reports.every(({ steps, baseline }) => steps.length === 0 && baseline === undefined)) return null;
  const scoreAt = ({ steps, baseline }: RunReport, step: number): string => {
    const score = step === 0 ? baseline?.value : steps.find((point) => point.step === step)?.incumbent;
    return score === undefined ? "" : percent(score);
  };
  return (
    <section class="panel whole">
      <h2>Score over steps</h2>
      <Chart
        label={`The score of the current skill over ${steps} steps, for both runs.`}
        option={compareChart(named, theme, { narrow })}
        height={300}
      >
        <FigureTable
          caption="Score of the current skill after each step"
          columns={["Step", ...labels]}
          rows={Array.from({ length: steps + 1 }, (_, step) => [
            step === 0 ? "original" : String(step),
            ...reports.map((report) => scoreAt(report, step)),
          ])}
        />
      </Chart>
    </section>
  );
}

function figures(reports: Pair): readonly (readonly string[])[] {
  const row = (name: string, of: (report: RunReport) => string) => [name, ...reports.map(of)];
  const roles = [...new Set(reports.flatMap(({ costs }) => costs.map(({ role }) => role)))];
  return [
    row("Gain in points", ({ overview: { gain } }) =>
      gain === undefined
        ? "not measured"
        : `${points(gain.value)} (${points(gain.low)} to ${points(gain.high)})`,
    ),
    row("Sealed test, original", ({ sealed }) =>
      sealed === undefined ? "" : percent(sealed.original.value),
    ),
    row("Sealed test, best", ({ sealed }) => (sealed?.best === undefined ? "" : percent(sealed.best.value))),
    row("Steps accepted", ({ steps }) => {
      const kept = steps.filter(({ action }) => action.startsWith("accept")).length;
      return `${kept} of ${steps.length}`;
    }),
    row("Cost", ({ overview: { cost } }) => formatUsd(cost.nanoUsd)),
    ...roles.map((role) =>
      row(`Cost: ${role}`, ({ costs }) => {
        const own = costs.filter((one) => one.role === role);
        const calls = own.reduce((sum, { cost }) => sum + cost.calls, 0);
        return `${formatUsd(own.reduce((sum, { cost }) => sum + cost.nanoUsd, 0))}, ${count(calls)} calls`;
      }),
    ),
    row("Tokens", ({ overview: { cost } }) => count(cost.tokens)),
    row("Time", ({ overview: { workedMs } }) => duration(workedMs)),
    row("Begun", ({ overview: { startedAt } }) => when(startedAt)),
    ...modelRows(reports),
    row("Tasks", ({ overview: { tasks } }) => `${tasks.train} train, ${tasks.val} val, ${tasks.test} test`),
  ];
}

function modelRows(reports: Pair): readonly (readonly string[])[] {
  const roles = [...new Set(reports.flatMap(({ overview }) => Object.keys(overview.models)))];
  return roles.map((role) => [
    `Model: ${role}`,
    ...reports.map(({ overview }) => overview.models[role] ?? ""),
  ]);
}

function SkillDiff({ reports }: { readonly reports: Pair }) {
  const [a, b] = reports.map(({ versions }) => versions.find(({ isBest }) => isBest)?.files);
  if (a === undefined || b === undefined)
    return <p class="soft">Not both runs have exported a best skill yet. It appears when a run ends.</p>;
  const paths = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return (
    <>
      {paths.map((path) => (
        <Diff key={path} before={a[path] ?? ""} after={b[path] ?? ""} label={path} />
      ))}
    </>
  );
}
