import { useMemo } from "preact/hooks";
import type { VerdictLook } from "../../../src/core/verdict-words.ts";
import type { RunReport, TaskFlag, TaskReport } from "../../../src/report/model.ts";
import {
  MarkHeads,
  MarkSign,
  MarkStrip,
  type Strip,
  drawStrip,
  markStarts,
  markWords,
} from "../components/marks.tsx";
import { Badge } from "../components/badge.tsx";
import { chipColumn } from "../components/chip-column.ts";
import { Loaded } from "../components/message.tsx";
import { type Column, VirtualTable } from "../components/virtual-table.tsx";
import { replacePlace } from "../context.ts";
import { plural } from "../format.ts";
import { type MarkTable, combineMarks, countPasses, tabulateMarks } from "../rollout-marks.ts";
import { type Query, linkTo } from "../router.ts";
import { useRun } from "../use-load.ts";
import { useNarrow } from "../use-media.ts";
import {
  type TaskFilter,
  countFlags,
  filterTasks,
  flagOrder,
  flagWords,
  flagsOf,
  nameKey,
  rankOf,
} from "./filter-tasks.ts";
import "./tasks.css";

/** All tasks with all their results at a glance. */
export function TasksPage({ run, query }: { readonly run: string; readonly query: Query }) {
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) => <Tasks report={report} query={query} />}
    </Loaded>
  );
}

const splitNames = ["train", "val", "test"] as const;
type Split = TaskReport["split"];

function Tasks({ report, query }: { readonly report: RunReport; readonly query: Query }) {
  const { tasks, overview } = report;
  const filter = readFilter(query);
  const found = useMemo(
    () => filterTasks(tasks, filter),
    [tasks, query["search"], query["split"], query["flag"]],
  );
  const isNarrow = useNarrow();
  const columns = useColumns(report, filter.splits, isNarrow);
  const link = (task: string) => linkTo({ page: "task", run: overview.id, task });
  return (
    <>
      <h1>Tasks</h1>
      <Filters report={report} filter={filter} />
      <p role="status">
        {found.length === tasks.length
          ? plural(tasks.length, "task")
          : `${found.length.toLocaleString("en")} of ${plural(tasks.length, "task")}`}
      </p>
      <ul class="legend" aria-label="Legend">
        {(["pass", "fail", "part", "missing", "none"] as const).map((mark) => (
          <li key={mark}>
            <MarkSign mark={mark} /> {markWords[mark]}
          </li>
        ))}
      </ul>
      <VirtualTable
        label="Tasks and their results"
        rows={found}
        columns={columns}
        rowKey={({ id }) => id}
        rowHeight={isNarrow ? 60 : 36}
        onOpen={({ id }) => location.assign(link(id))}
        empty={
          tasks.length === 0
            ? "This run has no results yet. They appear here as they come in."
            : "No task matches. Remove a filter or search for something else."
        }
      />
    </>
  );
}

/** If a row has more marks than this, each moment is drawn as one mark. */
const mostMarks = 24;

function useColumns(
  report: RunReport,
  splits: readonly Split[],
  isNarrow: boolean,
): readonly Column<TaskReport>[] {
  const { tasks, evaluations, overview } = report;
  return useMemo(() => {
    const wanted = splits.length === 0 ? splitNames : splits;
    const table = tabulateMarks(evaluations, tasks, wanted);
    const passes = countPasses(evaluations, tasks.length);
    const places = new Map(tasks.map((task, place) => [task, place]));
    const passesOf = (task: TaskReport) => passes[places.get(task) ?? -1] ?? { finished: 0, passed: 0 };
    const name = ({ id }: TaskReport) => (
      <a class="cut" title={id} href={linkTo({ page: "task", run: overview.id, task: id })}>
        {id}
      </a>
    );
    const flags = (task: TaskReport) => flagsOf(task).map((flag) => <FlagBadge key={flag} flag={flag} />);
    const passed: Column<TaskReport> = {
      name: "Passed",
      width: "calc(9ch + 1.2rem)",
      align: "end",
      sort: (task) => shareOf(passesOf(task)),
      cell: (task) => countText(passesOf(task)),
    };
    const marks = marksColumn(table, places, isNarrow);
    if (isNarrow)
      return [
        {
          name: "Task",
          width: chipColumn(flagCases),
          sort: nameKey,
          cell: (task) => (
            <>
              <span class="task-line">
                {name(task)} <span class="soft number">{countText(passesOf(task))}</span>
              </span>
              {flags(task)}
            </>
          ),
        },
        marks,
      ];
    return [
      { name: "Task", width: "10rem", sort: nameKey, cell: name },
      { name: "Split", width: "4.5rem", sort: ({ split }) => split, cell: ({ split }) => split },
      {
        name: "Flags",
        width: chipColumn(flagCases),
        sort: (task) => rankOf(task),
        cell: flags,
      },
      {
        name: "Before → after",
        width: "calc(14ch + 1.2rem)",
        align: "end",
        sort: ({ before, after }) =>
          before === undefined || after === undefined ? undefined : after - before,
        cell: ({ before, after }) =>
          before === undefined || after === undefined
            ? ""
            : `${(100 * before).toFixed(0)} → ${(100 * after).toFixed(0)}%`,
      },
      passed,
      marks,
      {
        name: "Asked",
        cell: ({ input }) => (
          <span class="soft cut" title={input}>
            {input}
          </span>
        ),
      },
    ];
  }, [tasks, evaluations, overview.id, splits.join(), isNarrow]);
}

/** The longest combinations of flags that a task can have. */
const flagCases = [
  ["regressed", "flaky"],
  ["improved", "flaky"],
  ["always-passes"],
  ["always-fails"],
] as const satisfies readonly (readonly TaskFlag[])[];

function marksColumn(
  table: MarkTable,
  taskPlaces: ReadonlyMap<TaskReport, number>,
  isNarrow: boolean,
): Column<TaskReport> {
  // a phone has room for only a few, and the last ones show the outcome
  const inOrder = <T,>(items: readonly T[]) => (isNarrow ? items.toReversed() : items);
  const moments = inOrder(table.moments);
  const isDense = moments.reduce((sum, { width }) => sum + width, 0) > mostMarks;
  const widths = moments.map(({ width }) => (isDense ? 1 : width));
  const places = markStarts(moments, widths);
  // rows are redrawn on every scroll event
  const strips = new Map<TaskReport, Strip>();
  const draw = (task: TaskReport): Strip => {
    const groups = inOrder(table.marksOf(taskPlaces.get(task) ?? -1));
    return drawStrip(isDense ? groups.map((group) => [combineMarks(group)]) : groups, places);
  };
  return {
    name: "Results",
    title: <MarkHeads moments={moments} places={places} />,
    width: `${Math.max(80, places.at(-1) ?? 0) + 20}px`,
    cell: (task) => {
      const strip = strips.get(task) ?? draw(task);
      strips.set(task, strip);
      return <MarkStrip strip={strip} label={plural(task.rollouts, "result")} />;
    },
  };
}

const countText = ({ finished, passed }: { readonly finished: number; readonly passed: number }): string =>
  `${passed} of ${finished}`;

const shareOf = ({ finished, passed }: { readonly finished: number; readonly passed: number }) =>
  finished === 0 ? undefined : passed / finished;

export const FlagBadge = ({ flag }: { readonly flag: TaskFlag }) => (
  <Badge
    look={{ tone: flagTones[flag], sign: flagSigns[flag], word: flagWords[flag].word }}
    title={flagWords[flag].meaning}
  />
);

const flagTones: Readonly<Record<TaskFlag, VerdictLook["tone"]>> = {
  regressed: "bad",
  improved: "good",
  flaky: "open",
  "always-fails": "even",
  "always-passes": "even",
};
const flagSigns: Readonly<Record<TaskFlag, string>> = {
  regressed: "▼",
  improved: "▲",
  flaky: "≈",
  "always-fails": "✕",
  "always-passes": "✓",
};

function Filters({ report, filter }: { readonly report: RunReport; readonly filter: TaskFilter }) {
  const { tasks, overview } = report;
  const counts = useMemo(() => countFlags(tasks), [tasks]);
  const change = (next: TaskFilter) =>
    replacePlace(linkTo({ page: "tasks", run: overview.id }, writeFilter(next)));
  return (
    <form class="toolbar" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Search task names and texts"
        placeholder="Search"
        value={filter.search}
        onInput={({ currentTarget }) => change({ ...filter, search: currentTarget.value })}
      />
      <fieldset class="chips">
        <legend class="unseen">Splits</legend>
        {splitNames.map((split) => (
          <Chip
            key={split}
            isOn={filter.splits.includes(split)}
            onToggle={() => change({ ...filter, splits: toggle(filter.splits, split) })}
          >
            {split} {overview.tasks[split].toLocaleString("en")}
          </Chip>
        ))}
      </fieldset>
      <fieldset class="chips">
        <legend class="unseen">Flags</legend>
        {flagOrder.map((flag) => (
          <Chip
            key={flag}
            title={flagWords[flag].meaning}
            isOn={filter.flags.includes(flag)}
            onToggle={() => change({ ...filter, flags: toggle(filter.flags, flag) })}
          >
            {flagSigns[flag]} {flagWords[flag].word} {counts[flag].toLocaleString("en")}
          </Chip>
        ))}
      </fieldset>
    </form>
  );
}

function Chip({
  isOn,
  onToggle,
  title,
  children,
}: {
  readonly isOn: boolean;
  readonly onToggle: () => void;
  readonly title?: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} title={title} onClick={onToggle}>
      {children}
    </button>
  );
}

function toggle<T>(list: readonly T[], value: T): readonly T[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
}

function readFilter(query: Query): TaskFilter {
  const words = (name: string) => (query[name] ?? "").split(",");
  return {
    search: query["search"] ?? "",
    splits: splitNames.filter((split) => words("split").includes(split)),
    flags: flagOrder.filter((flag) => words("flag").includes(flag)),
  };
}

function writeFilter({ search, splits, flags }: TaskFilter): Query {
  return {
    ...(search === "" ? {} : { search }),
    ...(splits.length === 0 ? {} : { split: splits.join() }),
    ...(flags.length === 0 ? {} : { flag: flags.join() }),
  };
}
