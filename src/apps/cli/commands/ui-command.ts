import { once } from "node:events";
import { type JournalPlace, openJournal, shownPlace } from "../../../adapters/journals/open-journal.ts";
import { readEnv } from "../../../config/env.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { readBuiltApp } from "../../../run/reports/built-app.ts";
import { readRun } from "../../../run/reports/runs.ts";
import { findDoubt, requireWord } from "../../../run/word.ts";
import { openIfThere } from "../../../run/session/open-if-there.ts";
import type { Io } from "../../../show/io.ts";
import { unexpected } from "../../../show/report-error.ts";

export interface UiFlags extends JournalPlace {
  /** The beginning of the id of the run to show first; by default the list of all. */
  readonly run?: string;
  readonly port?: number;
  readonly open: boolean;
}

/** `whetstone ui [run]`: serves the web app until Ctrl-C. */
export async function uiCommand({ run, port, open, ...at }: UiFlags, io: Io): Promise<void> {
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new WhetstoneError("usage", "--port must be a whole number from 0 to 65535.", {
      hint: "Leave it out to get a free one.",
    });
  }
  const place = await findPlace(at, run, io);
  const page = await readBuiltApp();
  // only this command pays for loading a web server
  const { startServer } = await import("../../server/start-server.ts");
  const { hasDisplay, openBrowser } = await import("../../server/open-browser.ts");
  const viewOnly = await findDoubt();
  // anyone who has the address with its token could click
  const mayOpen = open && hasDisplay(process.platform, readEnv());
  if (viewOnly !== undefined && !mayOpen) await requireWord("whetstone ui");
  const onError = (error: unknown) => io.warn(unexpected(error));
  await using server = await startServer({ ...at, page, port, viewOnly, onError });
  if (viewOnly === undefined) {
    io.print(`${server.url}${place}`);
    io.print("Only this machine can open it, and only with this address. Ctrl-C stops it.");
  } else
    io.print(
      `The page opens in a browser and is read-only, because ${viewOnly}. To adopt, type \`whetstone ui\` in a terminal of your own.`,
    );
  // other processes can see a process's arguments
  if (mayOpen && (io.isTerminal || viewOnly !== undefined))
    openBrowser(`${server.openingUrl()}${place}`, process.platform);
  if (!io.signal.aborted) await once(io.signal, "abort");
}

/** The page to open. Without a journal it explains how to begin; an unknown run is an error right away. */
async function findPlace(at: JournalPlace, run: string | undefined, io: Io): Promise<string> {
  const mayBeMissing = run === undefined && at.journalUrl === undefined;
  const journal = mayBeMissing ? await openIfThere(at) : await openJournal(at, { readOnly: true });
  if (journal === undefined) {
    io.warn(`${shownPlace(at)} doesn't have a journal yet. The page shows how to get to a first run.`);
    return "";
  }
  try {
    return run === undefined ? "" : `#/run/${(await readRun(journal, run)).run}`;
  } finally {
    await journal.close();
  }
}
