import { resolve } from "node:path";
import { type JournalPlace, openJournal } from "../../../adapters/journals/open-journal.ts";
import { type ChartTheme, scoreChart } from "../../../report/charts.ts";
import type { RunReport } from "../../../report/model.ts";
import { spellOutJson } from "../../../report/spell-out.ts";
import { writeFileAtomic } from "../../../adapters/atomic-file.ts";
import { readBuiltApp } from "../../../run/reports/built-app.ts";
import { readRunReport } from "../../../run/reports/read-report.ts";
import { findRun, recordFolder } from "../../../run/reports/runs.ts";
import { standaloneReport } from "../../../run/reports/standalone.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Io } from "../../../show/io.ts";
import type { reportFormats } from "../../../show/report-formats.ts";
import { shownFrom } from "../../../show/shown-from.ts";

export interface ReportFlags extends JournalPlace {
  /** The beginning of its id; the latest by default. */
  readonly run?: string;
  readonly format: (typeof reportFormats)[number];
  /** A file; by default HTML goes to `whetstone-<run>.html` here, and the rest is printed. */
  readonly out?: string;
  readonly theme: ChartTheme;
}

/** `whetstone report [run]` */
export async function reportCommand({ run: id, ...flags }: ReportFlags, io: Io): Promise<void> {
  const { journalDir } = flags;
  const journal = await openJournal(flags, { readOnly: true });
  try {
    const found = await findRun(journal, id);
    const { run } = found;
    const folder = recordFolder(journalDir, found);
    const report = await readRunReport(journal, run, folder, { journalDir });
    if (flags.format === "json" && flags.out === undefined) return io.printJson(report);
    const { text, note } = await render(report, folder, flags);
    const out = flags.out ?? (flags.format === "html" ? `whetstone-${run.slice(0, 8)}.html` : undefined);
    if (out === undefined) {
      io.print(text.trimEnd());
      return;
    }
    const path = resolve(io.cwd, out);
    await writeFileAtomic(path, text);
    io.print(`${shownFrom(io.cwd)(path)}  ${(Buffer.byteLength(text) / 1e6).toFixed(2)} MB`);
    if (note !== undefined) io.print(note);
  } finally {
    await journal.close();
  }
}

interface Rendered {
  readonly text: string;
  readonly note?: string;
}

async function render(
  report: RunReport,
  folder: string,
  { format, theme }: Pick<ReportFlags, "format" | "theme">,
): Promise<Rendered> {
  switch (format) {
    case "json":
      return { text: `${spellOutJson(report)}\n` };
    case "svg":
      return { text: await drawCurve(report, theme) };
    case "html": {
      const { html, note } = await standaloneReport(report, folder, await readBuiltApp());
      return { text: html, note };
    }
  }
}

const grounds = { light: "#ffffff", dark: "#1c2027" } as const;

async function drawCurve(report: RunReport, theme: ChartTheme): Promise<string> {
  const { baseline, steps, sealed, overview } = report;
  if (baseline === undefined && steps.length === 0 && sealed === undefined) {
    throw new WhetstoneError("not-found", `Run ${overview.id} has no score to draw yet.`, {
      hint: "`whetstone runs show` shows what there is.",
    });
  }
  // only this format pays for loading a chart library
  const { renderSvg } = await import("../../../adapters/charts/render-svg.ts");
  const { tooltip: _, legend, ...chart } = scoreChart(report, theme);
  // without a browser the width of a text is only guessed
  const roomy = { ...(legend as object), itemGap: 28 };
  const option = { ...chart, legend: roomy, backgroundColor: grounds[theme] };
  const svg = renderSvg(option, { width: 840, height: 360 });
  const title = `Run ${overview.id}: ${overview.sentence}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `${svg.replace(/<svg [^>]*>/, (tag) => `${tag}\n<title>${title}</title>`)}\n`;
}
