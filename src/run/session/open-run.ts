import { resolve } from "node:path";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { keepProject, journalPlace } from "../../config/journal-place.ts";
import { readEnv } from "../../config/env.ts";
import { errorForCaller, forCaller } from "../../config/caller.ts";
import { expandConfig } from "../../config/load.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import { requireUsedPeers } from "../../config/resolve/used-peers.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Config } from "../../config/schema.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import { readSides } from "../../core/measure/claim-log.ts";
import { type ProjectOptions } from "../project-options.ts";
import { sameWorkElsewhere } from "./same-work.ts";
import { readSidesAt } from "./open-if-there.ts";

/** A whole config, plus options that only code can give. */
export interface CallOptions extends Omit<Config, "journal">, ProjectOptions {
  /** Aborting it stops the run cleanly; calling again resumes it. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with each guess about missing options, before money is spent. */
  readonly onGuess?: (guess: string) => void;
  /** Called with each note about the given options, before money is spent. */
  readonly onNote?: (note: string) => void;
}

export interface OpenOptions extends CallOptions {
  /** For commands that only need the skill. @default false */
  readonly withoutTasks?: boolean;
  /** For commands that train: adds a note if the tasks decided the gate. @default false */
  readonly trains?: boolean;
}

export interface Opened {
  readonly resolved: Resolved;
  readonly journal: Journal;
}

/** The same, if a journal may not exist yet. */
export type MaybeOpened = Pick<Opened, "resolved"> & Partial<Opened>;

/** Resolves a config and opens its journal. A journal opened here is also closed here. */
export const openRun = <T>(
  options: OpenOptions,
  roles: readonly Role[],
  body: (opened: Opened) => Promise<T>,
): Promise<T> =>
  openThere(options, roles, body).catch((error: unknown) => {
    throw errorForCaller(error);
  });

async function openThere<T>(
  options: OpenOptions,
  roles: readonly Role[],
  body: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { journal, onGuess, onNote, withoutTasks = false, trains = false } = options;
  const cwd = resolve(options.cwd ?? "");
  const written: Record<string, unknown> = { ...options };
  for (const key of codeOnly) delete written[key];
  if (typeof journal !== "string") delete written["journal"];
  const config = await expandConfig(written, cwd, "The config");
  requireUsedPeers(config, { env: readEnv(), roles });
  const seen =
    journal !== undefined && typeof journal !== "string"
      ? await readSides(journal)
      : await readSidesAt(journalPlace(config.journal, cwd));
  const resolved = await resolveConfig(config, { cwd, env: readEnv(), roles, withoutTasks, trains, seen });
  for (const guess of resolved.guesses) onGuess?.(forCaller(guess));
  for (const note of resolved.notes) onNote?.(forCaller(note));
  if (journal !== undefined && typeof journal !== "string") return body({ resolved, journal });
  const same = await sameWorkElsewhere(resolved);
  if (same !== undefined) onNote?.(same);
  await keepProject(resolved, cwd);
  const opened = await openJournal(resolved);
  try {
    return await body({ resolved, journal: opened });
  } finally {
    await opened.close();
  }
}

const codeOnly = [
  "cwd",
  "signal",
  "onEvent",
  "onGuess",
  "onNote",
  "withoutTasks",
  "trains",
] as const satisfies readonly (keyof OpenOptions)[];
