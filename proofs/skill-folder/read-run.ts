import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { EditReport } from "../../src/method.ts";
import type { Json } from "../../src/ports.ts";

/** Rollouts of the exported results, and how many of them say that the skill was loaded. */
export function countLoaded(out: string, skill: string) {
  const steps = stepFolders(out);
  const files = [
    ...["selection_eval_baseline", "test_eval_baseline", "test_eval_best"].map((name) => join(out, name)),
    ...steps.map((step) => join(step, "selection_eval")),
  ].map((folder) => join(folder, "results.json"));
  const rows = [...files, ...steps.map((step) => join(step, "rollout_results.json"))]
    .filter((file) => existsSync(file))
    .flatMap((file) => rowsIn(JSON.parse(readFileSync(file, "utf8"))));
  const loaded = rows.filter(({ extras }) => extras?.loaded?.includes(skill) === true);
  return { rollouts: rows.length, loaded: loaded.length };
}

interface Row {
  readonly id: string;
  readonly extras?: { readonly loaded?: readonly string[] };
}

/** Rows stand in a list, in `results`, or in lists of `trials`. */
function rowsIn(value: Json): readonly Row[] {
  if (Array.isArray(value)) return value.flatMap(rowsIn);
  if (typeof value !== "object" || value === null) return [];
  const held = value as { readonly [name: string]: Json };
  if (typeof held["id"] === "string") return [held as unknown as Row];
  return rowsIn(held["results"] ?? held["trials"] ?? []);
}

/** What became of every edit that a step chose. */
export const readReports = (out: string): readonly EditReport[] =>
  stepFolders(out).flatMap((step) => {
    const file = join(step, "edit_apply_report.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as EditReport[]) : [];
  });

const stepFolders = (out: string): readonly string[] =>
  readdirSync(join(out, "steps")).map((name) => join(out, "steps", name));
