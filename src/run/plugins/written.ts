import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files at some places with their sizes and times, and the folders without. */
export type Snapshot = ReadonlyMap<string, string>;

export function lookAt(places: readonly string[]): Snapshot {
  const seen = new Map<string, string>();
  const walk = (path: string): void => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    seen.set(path, stat.isDirectory() ? "" : `${stat.size} ${stat.mtimeMs}`);
    if (stat.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const place of places) walk(place);
  return seen;
}

/** One change on the disk: a file, or a folder that is new or gone as a whole. */
export interface Written {
  readonly kind: "new" | "changed" | "gone";
  readonly path: string;
  /** The number of files in a folder. */
  readonly files?: number;
}

export function compareSnapshots(before: Snapshot, after: Snapshot): readonly Written[] {
  const changed = [...after].filter(([path, state]) => before.has(path) && before.get(path) !== state);
  return [
    ...whatOnlyOneHas("new", after, before),
    ...changed.map(([path]) => ({ kind: "changed", path }) as const),
    ...whatOnlyOneHas("gone", before, after),
  ];
}

/** A folder includes everything in it. */
function whatOnlyOneHas(kind: "new" | "gone", one: Snapshot, other: Snapshot): readonly Written[] {
  const only = [...one].filter(([path]) => !other.has(path));
  const paths = new Set(only.map(([path]) => path));
  return only
    .filter(([path]) => !paths.has(dirname(path)))
    .map(([path, state]) => {
      if (state !== "") return { kind, path };
      const inside = only.filter(([file, its]) => its !== "" && file.startsWith(join(path, "/")));
      return { kind, path, files: inside.length };
    });
}
