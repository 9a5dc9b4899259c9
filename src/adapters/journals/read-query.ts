import type { ReadFilter } from "../../core/ports/journal.ts";
import { entryKinds } from "./journal-entry.ts";
import { rowColumns } from "./sqlite/sqlite-rows.ts";

/** One page of `read`: the entries with a number above `$after`. */
export interface ReadQuery {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Every row from `after` on is in the answer, so that a gap can be seen. */
  readonly isComplete: boolean;
}

/**
 * The answer may hold more than the filter asks for: `matchesFilter` decides. An arm for each run and kind, or for each event name:
 * SQLite merges them by number without sorting.
 */
export function readQuery({ run, kinds = entryKinds, names }: ReadFilter, pageRows: number): ReadQuery {
  const parameters: Record<string, string> = {};
  const bind = (name: string, value: string): string => {
    parameters[name] = value;
    return `$${name}`;
  };
  const nameList = names?.map((name, at) => bind(`name${at}`, name));
  const page = (arms: readonly string[], isComplete: boolean): ReadQuery => ({
    sql: `${arms.map((arm) => `SELECT ${rowColumns} FROM entries ${arm} AND seq > $after`).join(" UNION ALL ")} ORDER BY seq LIMIT ${pageRows}`,
    parameters,
    isComplete,
  });

  if (run !== undefined) {
    const inRun = bind("run", run);
    const named = nameList === undefined ? "" : ` AND name IN (${nameList.join(", ")})`;
    return page(
      kinds.map(
        (kind, at) => `INDEXED BY by_run WHERE run = ${inRun} AND kind = ${bind(`kind${at}`, kind)}${named}`,
      ),
      false,
    );
  }
  if (nameList !== undefined && !names?.includes("")) {
    return page(
      nameList.map((name) => `INDEXED BY by_name WHERE kind = 'event' AND name = ${name}`),
      false,
    );
  }
  return page(["NOT INDEXED WHERE true"], true);
}
