import { useMemo } from "preact/hooks";
import { describeModels } from "../../../src/core/describe-models.ts";
import { verdictWords } from "../../../src/core/verdict-words.ts";
import type { RunOverview } from "../../../src/report/model.ts";
import { Loaded } from "../components/message.tsx";
import { Range } from "../components/range.tsx";
import { VerdictBadge } from "../components/badge.tsx";
import { CommandLine } from "../components/command-line.tsx";
import { chipColumn } from "../components/chip-column.ts";
import { type Column, VirtualTable } from "../components/virtual-table.tsx";
import { replacePlace } from "../context.ts";
import { duration, formatUsd, nameOf, plural, points, shortId, shortPath, when } from "../format.ts";
import { type Query, linkTo } from "../router.ts";
import { useMedia, useNarrow } from "../use-media.ts";
import { useRuns } from "../use-load.ts";
import { verdictOf } from "../action-words.ts";

export function RunsPage({ query }: { readonly query: Query }) {
  return (
    <Loaded load={useRuns()} what="the list of runs">
      {(runs) => (runs.length === 0 ? <NoRuns /> : <RunList runs={runs} search={query["search"] ?? ""} />)}
    </Loaded>
  );
}

/** The first page that many people see: it says what to type, and that no reload is needed. */
const NoRuns = () => (
  <div class="message">
    <h1>No runs yet.</h1>
    <p>Your first run will show up here by itself. Start one in another terminal, in the same folder:</p>
    <h2>Try the demo</h2>
    <p>Takes half a minute and no API key: a scripted model on this machine learns six rules.</p>
    <CommandLine command="npx whetstone demo" />
    <h2>Train your own skill</h2>
    <p>
      <code>init</code> finds your skill, its evals and your models. <code>plan</code> estimates what training
      would cost.
    </p>
    <CommandLine command="npx whetstone init" />
    <CommandLine command="npx whetstone plan" />
    <CommandLine command="npx whetstone train" />
    <p class="soft">
      If you started <code>whetstone ui</code> with <code>--journal</code>, use the same one here.
    </p>
  </div>
);

function RunList({ runs, search }: { readonly runs: readonly RunOverview[]; readonly search: string }) {
  const rows = useMemo(
    () => runs.filter((run) => matches(run, search)).toSorted((a, b) => b.at - a.at),
    [runs, search],
  );
  const [isNarrow, isWide] = [useNarrow(), useMedia("(min-width: 1100px)")];
  const columns = useMemo(
    () => (isNarrow ? [narrowColumn] : wideColumns(runs, isWide)),
    [runs, isNarrow, isWide],
  );
  return (
    <>
      <h1>Runs</h1>
      <div class="toolbar">
        <input
          type="search"
          aria-label="Search runs"
          placeholder="Search skill, model, verdict"
          value={search}
          onInput={({ currentTarget }) =>
            replacePlace(linkTo({ page: "runs" }, searchQuery(currentTarget.value)))
          }
        />
        <span class="soft" role="status">
          {rows.length === runs.length
            ? plural(runs.length, "run")
            : `${rows.length} of ${plural(runs.length, "run")}`}
        </span>
      </div>
      <VirtualTable
        label="Runs, latest first"
        rows={rows}
        columns={columns}
        rowKey={({ id }) => id}
        rowHeight={isNarrow ? 88 : 54}
        onOpen={({ id }) => {
          location.hash = linkTo({ page: "run", run: id });
        }}
        empty={
          <>
            No run matches “{search}”. <a href={linkTo({ page: "runs" })}>Show all runs.</a>
          </>
        }
      />
    </>
  );
}

const searchQuery = (search: string): Query => (search === "" ? {} : { search });

function matches(run: RunOverview, search: string): boolean {
  const { id, command, skill, skillPath = "", models, sentence } = run;
  const text = [
    id,
    command,
    skill,
    skillPath,
    nameOf(run),
    verdictOf(run).word,
    sentence,
    ...Object.values(models),
  ].join(" ");
  const found = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => found.includes(word));
}

const runningWords = "step 100 of 100";
/** The longest contents of a verdict column. */
const verdictCases = [...Object.values(verdictWords).map(({ word }) => [word]), [runningWords]];

const RunName = ({ run, isNarrow = false }: { readonly run: RunOverview; readonly isNarrow?: boolean }) => {
  const place = run.skillPath !== undefined && <span class="soft">{shortPath(run.skillPath)}</span>;
  return (
    <>
      <span class="cut" title={run.skillPath}>
        <a class="strong" href={linkTo({ page: "run", run: run.id })}>
          {nameOf(run)}
        </a>{" "}
        {!isNarrow && place}
      </span>
      <span class="soft cut" title={run.skillPath}>
        {run.command} <span class="mono">{shortId(run.id)}</span> ·{" "}
        {isNarrow && place !== false ? place : when(run.at)}
      </span>
    </>
  );
};

/** On a phone, a run fits in one cell. */
const narrowColumn: Column<RunOverview> = {
  name: "Run",
  sort: nameOf,
  cell: (run) => (
    <>
      <RunName run={run} isNarrow />
      <span class="cut">
        <VerdictBadge overview={run} />{" "}
        {run.gain === undefined ? (
          <span class="soft">{run.sentence}</span>
        ) : (
          <span class="number">{points(run.gain.value)} points</span>
        )}
      </span>
    </>
  ),
};

function wideColumns(runs: readonly RunOverview[], isWide: boolean): readonly Column<RunOverview>[] {
  const ends = runs.flatMap(({ gain }) =>
    gain === undefined ? [] : [Math.abs(gain.low), Math.abs(gain.high)],
  );
  const span = Math.max(0.1, ...ends);
  return [
    { name: "Run", sort: nameOf, cell: (run) => <RunName run={run} /> },
    {
      name: "Verdict",
      width: chipColumn(verdictCases),
      sort: (run) => verdictOf(run).word,
      cell: (run) => <VerdictBadge overview={run} />,
    },
    {
      name: "Gain",
      title: "Gain in points",
      width: "22rem",
      sort: ({ gain }) => gain?.value,
      cell: ({ gain, sentence }) =>
        gain === undefined ? (
          <span class="soft cut lines" title={sentence}>
            {sentence}
          </span>
        ) : (
          <Range estimate={gain} span={span} />
        ),
    },
    {
      name: "Cost",
      width: "7rem",
      align: "end",
      // the list doesn't read the calls of a run that is still going
      sort: ({ status, cost }) => (status === "running" ? undefined : cost.nanoUsd),
      cell: ({ status, cost }) => (status === "running" ? "" : formatUsd(cost.nanoUsd)),
    },
    ...(isWide ? moreColumns : []),
  ];
}

const moreColumns: readonly Column<RunOverview>[] = [
  {
    name: "Time",
    width: "6rem",
    align: "end",
    sort: ({ workedMs }) => workedMs,
    cell: ({ workedMs }) => duration(workedMs),
  },
  {
    name: "Model",
    width: "13rem",
    sort: ({ models }) => models["target"],
    cell: ({ models, hosts }) => (
      <span class="cut" title={describeModels(models, hosts)}>
        {models["target"] ?? describeModels(models, hosts)}
      </span>
    ),
  },
];
