import colors from "picocolors";
import { sqliteJournal } from "../../adapters/journals/sqlite.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { formatUsd } from "../../core/spend.ts";
import type { RunState } from "../../report/run-state.ts";
import type { Summary } from "../../run/artifacts.ts";
import type { CompareSummary } from "../../run/compare-run.ts";
import type { NoiseSummary } from "../../run/noise-run.ts";
import { collectGarbage } from "../../run/journal-tools.ts";
import { listRuns, readRun, readSkills, removeRun } from "../../run/runs.ts";
import { duration, percent, plural, table } from "./format.ts";
import type { Io } from "./io.ts";
import { diffText, verdictLines } from "./print-result.ts";
import { stepLine } from "./progress-lines.ts";
import { shownFrom } from "./train-command.ts";

/** `whetstone runs` */
export async function runsCommand(journalDir: string, json: boolean, io: Io): Promise<void> {
  const runs = await reading(journalDir, listRuns);
  if (json) {
    for (const run of runs) io.print(JSON.stringify(run));
    return;
  }
  if (runs.length === 0) return io.print("No runs yet. `whetstone demo` makes one without a key.");
  const rows = runs
    .toReversed()
    .map((run) => [run.run.slice(0, 8), run.command, when(run.at), statusWord(run), outcome(run)]);
  for (const line of table([["run", "kind", "last active", "status", "result"].map(colors.dim), ...rows]))
    io.print(line);
}

/** `whetstone runs show [run]` */
export async function showRunCommand(
  journalDir: string,
  id: string | undefined,
  json: boolean,
  io: Io,
): Promise<void> {
  const run = await reading(journalDir, (journal) => readRun(journal, id));
  if (json) return io.print(JSON.stringify(run));
  const skills = await readSkills(run);
  for (const line of runLines(run, io.cwd)) io.print(line);
  if (skills === undefined) return;
  const diff = diffText(skills);
  io.print(["", colors.bold("original → best"), ...(diff.length === 0 ? ["  no change"] : diff)].join("\n"));
}

/** `whetstone runs rm <run>` */
export async function removeRunCommand(journalDir: string, id: string, io: Io): Promise<void> {
  const journal = await sqliteJournal({ dir: journalDir });
  try {
    const { run, folder, deleted } = await removeRun(journal, journalDir, id);
    io.print(
      `Run ${run} is removed${deleted ? " with its artifacts" : `; its artifacts stay in ${folder}`}.`,
    );
    io.print("What it bought stays in the journal until `whetstone runs gc`.");
  } finally {
    await journal.close();
  }
}

/** `whetstone runs gc` */
export async function gcCommand(journalDir: string, io: Io): Promise<void> {
  const { kept, dropped, results, freedBytes } = await collectGarbage(journalDir);
  if (dropped === 0)
    return io.print("Nothing to drop: every result was bought or used by a run that is still there.");
  io.print(
    `Dropped ${plural(dropped, "row")} (${plural(results, "result")}), kept ${kept}; ${(freedBytes / 1e6).toFixed(1)} MB freed.`,
  );
}

async function reading<T>(dir: string, read: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await sqliteJournal({ dir, readOnly: true });
  try {
    return await read(journal);
  } finally {
    await journal.close();
  }
}

function runLines(run: RunState, cwd: string): readonly string[] {
  const models = Object.entries(run.models).map(([role, model]) => `${role} ${model}`);
  const tasks = Object.entries(run.tasks).flatMap(([split, count]) =>
    count > 0 ? [`${count} ${split}`] : [],
  );
  return [
    ...verdict(run),
    "",
    ...table([
      ["  run", `${run.run} (${run.command})`],
      ["  models", models.join(", ")],
      ["  tasks", tasks.join(", ")],
      [
        "  time",
        `${when(run.startedAt)}, ${duration(run.workedMs)} in ${plural(run.executions, "execution")}`,
      ],
      ["  files", shownFrom(cwd)(run.folder)],
    ]),
    ...(run.rows.length === 0
      ? []
      : ["", colors.bold("steps"), ...run.rows.map((row) => `  ${stepLine(row, run.steps)}`)]),
    "",
    colors.bold("cost of what this run bought"),
    ...costRows(run),
  ];
}

function verdict(run: RunState): readonly string[] {
  if (run.status === "running")
    return [`${colors.bold("not finished")}: step ${run.step} of ${run.steps} (or still running)`];
  if (run.status === "stopped") {
    return [
      `${colors.bold("stopped")} at step ${run.step} of ${run.steps}: ${run.message}`,
      "next: start the same command again; finished work is kept",
    ];
  }
  if (run.command === "train" && run.summary !== undefined)
    return verdictLines(run.summary as unknown as Summary);
  return [run.message];
}

function costRows({ costs, spent }: RunState): readonly string[] {
  const rows = Object.entries(costs).map(([role, cost]) => [
    `  ${role}`,
    formatUsd(cost.nanoUsd),
    plural(cost.calls, "call"),
    `${cost.tokens} tokens`,
  ]);
  const total = [
    "  booked",
    formatUsd(spent.nanoUsd),
    plural(spent.calls, "call"),
    `${spent.tokens} tokens, failed calls included`,
  ];
  return table([...rows, total]);
}

function statusWord({ status, code, step, steps }: RunState): string {
  if (status === "done") return colors.green("done");
  if (status === "stopped") return colors.yellow(`stopped (${code ?? "failed"})`);
  return steps === 0 ? "unfinished" : `unfinished ${step}/${steps}`;
}

function outcome({ status, command, summary, incumbent, message }: RunState): string {
  if (status !== "done") return incumbent === undefined ? "" : `val ${percent(incumbent)} so far`;
  if (summary === undefined) return message;
  if (command === "compare") return comparedOutcome(summary as unknown as CompareSummary);
  if (command === "noise") return `flip rate ${percent((summary as unknown as NoiseSummary).flipRate)}`;
  if (command !== "train") return message;
  const { verdict, val, test } = summary as unknown as Summary;
  const onVal = val.baseline === null || val.best === null ? "unverified" : `val ${percent(val.best)}`;
  if (verdict === "unchanged") return `original kept, ${onVal}`;
  return test === undefined
    ? `${onVal}, not tested`
    : `${verdict}: test ${percent(test.original)} → ${percent(test.best)}`;
}

const comparedOutcome = ({ verdict, before, after }: CompareSummary): string =>
  before.score === null || after.score === null
    ? verdict
    : `${verdict}: ${percent(before.score)} → ${percent(after.score)}`;

/** Local time to the minute. */
function when(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
