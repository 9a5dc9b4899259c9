import { statSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sqliteJournal } from "../src/ports.ts";
import { readRunReport, readStepReport } from "../src/run/reports/read-report.ts";
import { writeReport } from "../src/run/reports/write-report.ts";
import { type LargeRun, makeLargeRun } from "./large-run/make-run.ts";
import { timeReducer } from "./large-run/time-reducer.ts";
import { type Opened, openAndScroll } from "./large-run/open-and-scroll.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { startUi } from "./server/ui-process.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { openBrowser } from "./ui/browse.ts";
import { builtPage } from "./ui/built-page.ts";

export const claim =
  "a run of 2,000 tasks × 5 trials × 40 candidates shows its first chart within 1.5 s and scrolls with no frame over 100 ms; its file stays within 20 MB; a million events are read in 5 s";

const fullSize = { tasks: 2000, trials: 5, candidates: 40 } as const;
const shortSize = { tasks: 2000, trials: 5, candidates: 5 } as const;

const mostMb = 20;

/** Options: `--seed n`. The short form has fewer candidates; limits are the same. */
export default async function proveLargeRun({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  await builtPage(log);
  const reducer = timeReducer(1_000_000);
  log(`reducer: a million events in ${reducer.coldMs} ms, 1,000 more in at most ${reducer.furtherMs} ms`);

  using place = temporaryDirectory("large-run");
  const size = { ...(short ? shortSize : fullSize), seed };
  log(
    `seed ${seed}: writing a run of ${size.tasks} tasks × ${size.trials} trials × ${size.candidates} candidates`,
  );
  const run = await makeLargeRun(place.path, size);
  log(`${run.rollouts} rollouts, ${run.events} events`);
  const read = await timeReports(place.path, run);
  log(
    `as its end leaves it: written in ${read.writtenMs} ms; read in ${read.readMs} ms, one step in ${read.stepMs} ms`,
  );
  log(`from ${run.events} events and all artifacts instead: ${read.anewMs} ms`);
  log(`report.json ${read.jsonMb} MB, report.html ${read.htmlMb} MB: ${read.note}`);

  const served = await openServed(place.path, run);
  log(`whetstone ui, cold: ${spell(served)}`);
  const file = await openFile(join(run.folder, "report.html"), run);
  log(`report.html from disk: ${spell(file)}`);

  const ok =
    reducer.coldMs < 5000 &&
    reducer.furtherMs < 50 &&
    read.htmlMb <= mostMb &&
    [served, file].every(({ firstChartMs, longestFrameMs }) => firstChartMs < 1500 && longestFrameMs <= 100);
  const load = Math.round(10 * (loadavg()[0] ?? 0)) / 10;
  if (!ok)
    log(`the machine's load was ${load}: times are of the wall clock, and mean little on a busy machine`);
  const { note: _, ...sizes } = read;
  const { events, rollouts } = run;
  return {
    ok,
    onlyLate: read.htmlMb <= mostMb,
    figures: {
      seed,
      reducer: { ...reducer },
      events,
      rollouts,
      ...sizes,
      served: { ...served },
      file: { ...file },
      load,
    },
  };
}

interface ReportTimes {
  readonly writtenMs: number;
  readonly readMs: number;
  readonly stepMs: number;
  readonly anewMs: number;
  readonly jsonMb: number;
  readonly htmlMb: number;
  readonly note: string;
}

async function timeReports(journalDir: string, { run, folder }: LargeRun): Promise<ReportTimes> {
  const journal = await sqliteJournal({ dir: journalDir, readOnly: true });
  try {
    const { ms: anewMs } = await timed(() => readRunReport(journal, run, folder));
    const { ms: writtenMs, value: note } = await timed(() =>
      writeReport(journal, run, { record: folder, folder }),
    );
    const { ms: readMs } = await timed(() => readRunReport(journal, run, folder, { journalDir }));
    const { ms: stepMs } = await timed(() => readStepReport(journal, run, folder, 3));
    const megabytes = (name: string) => Math.round(statSync(join(folder, name)).size / 1e4) / 100;
    return {
      writtenMs,
      readMs,
      stepMs,
      anewMs,
      jsonMb: megabytes("report.json"),
      htmlMb: megabytes("report.html"),
      note: note ?? "",
    };
  } finally {
    await journal.close();
  }
}

async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await run();
  return { ms: Math.round(performance.now() - started), value };
}

async function openServed(journalDir: string, { run }: LargeRun): Promise<Opened> {
  const browser = await openBrowser();
  const ui = await startUi(journalDir);
  try {
    return await openAndScroll(browser, ui.url, run);
  } finally {
    await browser.close();
    await ui.interrupt();
  }
}

async function openFile(path: string, { run }: LargeRun): Promise<Opened> {
  const browser = await openBrowser();
  try {
    return await openAndScroll(browser, pathToFileURL(path).href, run);
  } finally {
    await browser.close();
  }
}

const spell = ({ firstChartMs, longestFrameMs, frames, rows }: Opened): string =>
  `first chart after ${firstChartMs} ms; ${frames} frames in 5 s of scrolling through ${rows} tasks, the longest ${longestFrameMs} ms`;
