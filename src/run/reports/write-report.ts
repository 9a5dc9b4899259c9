import { join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { readBuiltApp } from "./built-app.ts";
import { readAnew, reportFile } from "./read-report.ts";
import { standaloneReport } from "./standalone.ts";

/**
 * Writes `report.json` into a finished run's folders, and `report.html` into the exported one. They contain times, so they
 * aren't artifacts. Returns what the HTML leaves out, or nothing if the web app isn't built.
 */
export async function writeReport(
  journal: Journal,
  run: string,
  { record, folder }: { readonly record: string; readonly folder: string },
): Promise<string | undefined> {
  const report = await readAnew(journal, run, record);
  for (const place of new Set([record, folder]))
    await writeFileAtomic(join(place, reportFile), JSON.stringify(report));
  const app = await readAppIfBuilt();
  if (app === undefined) return undefined;
  const { html, note } = await standaloneReport(report, record, app);
  await writeFileAtomic(join(folder, "report.html"), html);
  return note;
}

/** An unbuilt checkout has no web app, and training doesn't need it. */
async function readAppIfBuilt(): Promise<string | undefined> {
  try {
    return await readBuiltApp();
  } catch (error) {
    if (error instanceof WhetstoneError) return undefined;
    throw error;
  }
}
