import type { Json } from "../../core/json.ts";
import type { Check, Splits, Task } from "../../core/tasks/task.ts";

/** The formats that can be read, each as its own tools document it; `whetstone` is ours. */
export const importFormats = [
  "whetstone",
  "evals-json",
  "trigger",
  "promptfoo",
  "csv",
  "openai-evals",
  "plugin-eval",
  "skillopt",
] as const;

export type ImportFormat = (typeof importFormats)[number];

export interface Imported {
  readonly format: ImportFormat;
  readonly tasks: readonly Task[];
  /** Present when the tasks are divided already. */
  readonly splits?: Splits;
  /** What was found and what it became: `12 × contains → contains`. */
  readonly understood: readonly string[];
  readonly notUnderstood: readonly NotUnderstood[];
  /** Every file that was read, as absolute paths: they hold answers, so no skill may hold them. */
  readonly files: readonly string[];
}

export interface NotUnderstood {
  /** The task's id, or the place in the file. */
  readonly where: string;
  readonly what: string;
  /** `invalid`: the task cannot be scored, or could not be read; `ignored`: the tasks work without it. */
  readonly effect: "invalid" | "ignored";
}

/** What an importer notes while it reads. */
export interface Notes {
  understand(what: string, times?: number): void;
  ignore(where: string, what: string): void;
  /** Notes it, and gives the check that makes its task invalid: what nobody understood never passes. */
  refuse(where: string, what: string): Check;
  /** Whether asserts of this type are to be left out. */
  drops(type: string): boolean;
  /** Notes a file that was read. */
  read(path: string): void;
  readonly understood: () => readonly string[];
  readonly notUnderstood: readonly NotUnderstood[];
  readonly files: ReadonlySet<string>;
}

/**
 * What an importer notes, to be told to whoever imports.
 *
 * @example
 * const notes = takeNotes();
 * notes.understand("contains → contains", 12);
 * notes.ignore("row 3", "a field nobody needs");
 * console.log(notes.understood(), notes.notUnderstood);
 */
export function takeNotes(drop: readonly string[] = []): Notes {
  const counts = new Map<string, number>();
  const notUnderstood: NotUnderstood[] = [];
  const files = new Set<string>();
  return {
    understand: (what, times = 1) => counts.set(what, (counts.get(what) ?? 0) + times),
    ignore: (where, what) => notUnderstood.push({ where, what, effect: "ignored" }),
    refuse: (where, what) => {
      notUnderstood.push({ where, what, effect: "invalid" });
      return { kind: "unsupported", value: what };
    },
    drops: (type) => drop.includes(type),
    read: (path) => files.add(path),
    understood: () => [...counts].map(([what, count]) => `${count} × ${what}`),
    notUnderstood,
    files,
  };
}

/** What an importer is given. */
export interface ImportSource {
  readonly path: string;
  /** JSON, at most 100 levels deep; of CSV, one object of texts per row. */
  readonly data: Json;
  /** Comes before the ids that we make up, so that the splits of a folder do not share them. */
  readonly idPrefix: string;
  readonly notes: Notes;
}

/** Turns a source into rows of our own format. Throws `tasks-invalid` for a row without its essentials. */
export type Importer = (source: ImportSource) => Promise<readonly TaskRow[]>;

/** A row for `parseTasks`, which has the last word. */
export type TaskRow = Readonly<Record<string, unknown>>;
