import { join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { readBuiltApp } from "./built-app.ts";
import { readAnew, reportFile } from "./read-report.ts";
import { standaloneReport } from "./standalone.ts";

/**
 * Leaves `report.json` in a finished run's folders, and `report.html` in the exported one: next to its artifacts, and no part of them, since they
 * say when things happened. Returns what the HTML leaves out, or nothing where the web app is not built.
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

/** A checkout that was not built has no web app; training does not need it. */
async function readAppIfBuilt(): Promise<string | undefined> {
  try {
    return await readBuiltApp();
  } catch (error) {
    if (error instanceof WhetstoneError) return undefined;
    throw error;
  }
}
