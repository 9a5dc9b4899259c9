import type { Json } from "../../core/json.ts";
import type { Check, Splits, Task } from "../../core/tasks/task.ts";

/** The formats we can read, each as its own tools document it; `whetstone` is ours. */
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
  /** Present if the tasks are already divided. */
  readonly splits?: Splits;
  /** The items found and their translation: `12 × contains → contains`. */
  readonly understood: readonly string[];
  readonly notUnderstood: readonly NotUnderstood[];
  /** Absolute paths of all files that were read. They contain answers, so no skill may include them. */
  readonly files: readonly string[];
}

export interface NotUnderstood {
  /** The task's id, or a position in the file. */
  readonly where: string;
  readonly what: string;
  /** `invalid`: the task can't be read or scored; `ignored`: the tasks work without it. */
  readonly effect: "invalid" | "ignored";
}

/** Collects an importer's notes while it reads. */
export interface Notes {
  understand(what: string, times?: number): void;
  ignore(where: string, what: string): void;
  /** Notes it and returns a check that makes the task invalid, so something we don't understand never passes. */
  refuse(where: string, what: string): Check;
  /** Whether to leave out asserts of this type. */
  drops(type: string): boolean;
  /** Notes a file that was read. */
  read(path: string): void;
  readonly understood: () => readonly string[];
  readonly notUnderstood: readonly NotUnderstood[];
  readonly files: ReadonlySet<string>;
}

/**
 * Collects an importer's notes, which are then shown to the user.
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

/** An importer's input. */
export interface ImportSource {
  readonly path: string;
  /** JSON at most 100 levels deep; for CSV, one object of strings per row. */
  readonly data: Json;
  /** A prefix for the ids we generate, so that a folder's splits don't share ids. */
  readonly idPrefix: string;
  readonly notes: Notes;
}

/** Turns a source into rows in our own format. Throws `tasks-invalid` for a row without its essentials. */
export type Importer = (source: ImportSource) => Promise<readonly TaskRow[]>;

/** A row for `parseTasks`, which makes the final check. */
export type TaskRow = Readonly<Record<string, unknown>>;
