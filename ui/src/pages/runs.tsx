import { useMemo, useState } from "preact/hooks";
import { describeModels } from "../../../src/core/describe-models.ts";
import type { RunOverview } from "../../../src/report/model.ts";
import { Loaded, Message } from "../components/message.tsx";
import { Range } from "../components/range.tsx";
import { VerdictBadge } from "../components/verdict.tsx";
import { type Column, VirtualTable } from "../components/virtual-table.tsx";
import { replacePlace } from "../context.ts";
import { duration, formatUsd, nameOf, plural, points, shortId, when } from "../format.ts";
import { type Query, linkTo } from "../router.ts";
import { useRuns } from "../use-runs.ts";
import { verdictOf } from "../verdict-words.ts";

export function RunsPage({ query }: { readonly query: Query }) {
  return (
    <Loaded load={useRuns()} what="the list of runs">
      {(runs) =>
        runs.length === 0 ? (
          <Message title="No runs yet.">
            <code>whetstone demo</code> makes one in half a minute, without a key.
          </Message>
        ) : (
          <RunList runs={runs} search={query["search"] ?? ""} />
        )
      }
    </Loaded>
  );
}

function RunList({ runs, search }: { readonly runs: readonly RunOverview[]; readonly search: string }) {
  const [selected, setSelected] = useState<readonly string[]>([]);
  const rows = useMemo(
    () => runs.filter((run) => matches(run, search)).toSorted((a, b) => b.at - a.at),
    [runs, search],
  );
  const select = ({ id }: RunOverview) =>
    setSelected((known) =>
      known.includes(id) ? known.filter((one) => one !== id) : [...known.slice(-1), id],
    );
  const columns = useMemo(() => columnsOf(runs, selected, select), [runs, selected]);
  const [first, second] = selected;
  return (
    <>
      <h1>Runs</h1>
      <div class="toolbar">
        <input
          type="search"
          data-search
          aria-label="Search runs"
          placeholder="Search skill, model, verdict  /"
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
        <span class="grow" />
        {first !== undefined && second !== undefined ? (
          <a class="button" href={linkTo({ page: "compare", runs: [first, second] })}>
            Compare {shortId(first)} with {shortId(second)}
          </a>
        ) : (
          runs.length > 1 && <span class="soft">Select two runs to compare them.</span>
        )}
      </div>
      <VirtualTable
        label="Runs, the latest first"
        rows={rows}
        columns={columns}
        rowKey={({ id }) => id}
        rowHeight={52}
        onOpen={({ id }) => {
          location.hash = linkTo({ page: "run", run: id });
        }}
        onSelect={select}
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
  const { id, command, skill, models, sentence } = run;
  const text = [
    id,
    command,
    skill,
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

function columnsOf(
  runs: readonly RunOverview[],
  selected: readonly string[],
  onSelect: (run: RunOverview) => void,
): readonly Column<RunOverview>[] {
  const ends = runs.flatMap(({ gain }) =>
    gain === undefined ? [] : [Math.abs(gain.low), Math.abs(gain.high)],
  );
  const span = Math.max(0.1, ...ends);
  return [
    {
      name: "Select",
      title: <span class="unseen">Select</span>,
      width: "3rem",
      cell: (run) => (
        <input
          type="checkbox"
          aria-label={`Select run ${shortId(run.id)} of ${nameOf(run)}`}
          checked={selected.includes(run.id)}
          onChange={() => onSelect(run)}
        />
      ),
    },
    {
      name: "Run",
      sort: nameOf,
      cell: (run) => (
        <>
          <a class="strong" href={linkTo({ page: "run", run: run.id })}>
            {nameOf(run)}
          </a>
          <br />
          <span class="soft">
            {run.command} <span class="mono">{shortId(run.id)}</span>
            <span class="wide-only"> · {when(run.at)}</span>
          </span>
        </>
      ),
    },
    {
      name: "Verdict",
      width: "10.5rem",
      sort: (run) => verdictOf(run).word,
      cell: (run) => (
        <>
          <VerdictBadge overview={run} />
          {run.gain !== undefined && <span class="narrow-only number">{points(run.gain.value)} points</span>}
        </>
      ),
    },
    {
      name: "Gain",
      title: "Gain in points",
      width: "20.5rem",
      wideOnly: true,
      sort: ({ gain }) => gain?.value,
      cell: ({ gain }) =>
        gain === undefined ? <span class="soft">not measured</span> : <Range estimate={gain} span={span} />,
    },
    {
      name: "Cost",
      width: "6rem",
      align: "end",
      wideOnly: true,
      sort: ({ cost }) => cost.nanoUsd,
      cell: ({ cost }) => formatUsd(cost.nanoUsd),
    },
    {
      name: "Time",
      width: "5rem",
      align: "end",
      wideOnly: true,
      sort: ({ workedMs }) => workedMs,
      cell: ({ workedMs }) => duration(workedMs),
    },
    {
      name: "Model",
      width: "12rem",
      wideOnly: true,
      sort: ({ models }) => models["target"],
      cell: ({ models, hosts }) => (
        <span title={describeModels(models, hosts)}>{models["target"] ?? describeModels(models, hosts)}</span>
      ),
    },
  ];
}
