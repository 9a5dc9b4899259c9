import type { ReportSource, RunReport } from "../../src/report/model.ts";
import type { Load } from "./load.ts";

/** Run reports by id. */
export interface RunStore {
  get(id: string): Load<RunReport>;
  /** Loads the run, and reloads it while it's running; calls back on every change. Returns a function that stops it. */
  follow(id: string, onChange: () => void): () => void;
  /** Reloads it now, after it was changed. */
  refresh(id: string): Promise<void>;
}

/** How often a live run is reloaded. */
const pauseMs = 2000;

/** A run that was stopped or has missing results can be resumed. */
const isOver = ({ status, verdict }: RunReport["overview"]): boolean =>
  status === "done" && verdict !== "undecided";

interface Entry {
  load: Load<RunReport>;
  readonly listeners: Set<() => void>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export function createRunStore(source: ReportSource): RunStore {
  const entries = new Map<string, Entry>();

  function entryOf(id: string): Entry {
    const known = entries.get(id);
    if (known !== undefined) return known;
    const entry: Entry = {
      load: { state: "loading" },
      listeners: new Set(),
      timer: undefined,
    };
    entries.set(id, entry);
    return entry;
  }

  async function refresh(id: string): Promise<void> {
    const entry = entryOf(id);
    try {
      entry.load = { state: "ready", value: await source.run(id) };
    } catch (error) {
      // if a reload fails, keep the last good data on screen
      if (entry.load.state !== "ready") entry.load = { state: "failed", error };
    }
    clearTimeout(entry.timer);
    const isLive = entry.load.state === "ready" && entry.load.value.overview.status === "running";
    if (isLive && entry.listeners.size > 0 && source.kind === "server")
      entry.timer = setTimeout(() => void refresh(id), pauseMs);
    for (const listener of entry.listeners) listener();
  }

  return {
    get: (id) => entryOf(id).load,
    refresh,
    follow(id, onChange) {
      const entry = entryOf(id);
      entry.listeners.add(onChange);
      const isFinal = entry.load.state === "ready" && isOver(entry.load.value.overview);
      if (!isFinal) void refresh(id);
      return () => {
        entry.listeners.delete(onChange);
        if (entry.listeners.size === 0) clearTimeout(entry.timer);
      };
    },
  };
}
