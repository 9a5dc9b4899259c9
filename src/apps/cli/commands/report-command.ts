import { resolve } from "node:path";
import { type JournalPlace, openJournal } from "../../../adapters/journals/open-journal.ts";
import { spellOutJson } from "../../../report/spell-out.ts";
import { writeFileAtomic } from "../../../adapters/atomic-file.ts";
import { readBuiltApp } from "../../../run/reports/built-app.ts";
import { readRunReport } from "../../../run/reports/read-report.ts";
import { findRun, recordFolder } from "../../../run/reports/runs.ts";
import { standaloneReport } from "../../../run/reports/standalone.ts";
import type { Io } from "../../../show/io.ts";
import { shownFrom } from "../../../show/shown-from.ts";

export interface ReportFlags extends JournalPlace {
  /** The beginning of its id; the latest by default. */
  readonly run?: string;
  readonly format: "html" | "json";
  /** A file; by default HTML goes to `whetstone-<run>.html` here, and JSON is printed. */
  readonly out?: string;
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
    const page =
      flags.format === "html" ? await standaloneReport(report, folder, await readBuiltApp()) : undefined;
    const text = page?.html ?? `${spellOutJson(report)}\n`;
    const path = resolve(io.cwd, flags.out ?? `whetstone-${run.slice(0, 8)}.html`);
    await writeFileAtomic(path, text);
    io.print(`${shownFrom(io.cwd)(path)}  ${(Buffer.byteLength(text) / 1e6).toFixed(2)} MB`);
    if (page?.note !== undefined) io.print(page.note);
  } finally {
    await journal.close();
  }
}
