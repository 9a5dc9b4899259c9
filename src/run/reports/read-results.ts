import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../../core/json.ts";
import type { Message } from "../../core/ports/model.ts";
import type { CheckOutcome } from "../../core/tasks/outcome.ts";
import type { UnusableReply } from "../../core/unusable-reply.ts";
import type { ResultSet } from "../../report/run-folder.ts";

/** One rollout in a file of results. */
export interface ResultRow {
  readonly id: string;
  /** The error class, if the result is missing. */
  readonly pending?: string;
  readonly hard?: number;
  readonly soft?: number;
  readonly feedback?: string;
  readonly checks?: readonly CheckOutcome[];
  readonly conversation?: readonly Message[];
  readonly extras?: Json;
  /** Set if the target's reply was unusable. */
  readonly reply?: UnusableReply;
  /** With `gate: rules`: the rules that were in the text. */
  readonly rules?: readonly number[];
}

/** The scores of files that have been read, so that a live run isn't read completely every second. */
export type ResultMemory = Map<string, { readonly stamp: string; readonly set: ResultSet }>;

export type ResultName = Pick<ResultSet, "name" | "stage" | "step">;

/** The scores of one file of results; undefined until it exists. */
export async function readResults(
  folder: string,
  place: ResultName,
  memory?: ResultMemory,
): Promise<ResultSet | undefined> {
  const path = resultPath(folder, place.name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const stamp = `${found.size} ${found.mtimeMs}`;
  const known = memory?.get(path);
  if (known?.stamp === stamp) return known.set;
  const trials = await readTrials(path);
  if (trials === undefined) return undefined;
  const set = { ...place, ...columnsOf(trials) };
  memory?.set(path, { stamp, set });
  return set;
}

/** One rollout in full; undefined if there is none. */
export async function readResultRow(
  folder: string,
  name: string,
  row: number,
): Promise<ResultRow | undefined> {
  return (await readResultRows(folder, name))[row];
}

/** All rollouts of a set in full, in row order. */
export async function readResultRows(folder: string, name: string): Promise<readonly ResultRow[]> {
  return (await readTrials(resultPath(folder, name)))?.flat() ?? [];
}

const shownInput = 300;

/** The input is the first message of the user. */
export const inputOf = ({ conversation = [] }: ResultRow): string =>
  conversation.find(({ role }) => role === "user")?.content ?? "";

/** Rollouts of a batch are a plain list in their own file; everything else is a folder. */
const resultPath = (folder: string, name: string): string =>
  join(folder, name.endsWith("/rollout_results") ? `${name}.json` : join(name, "results.json"));

/** One list per trial if the file has trials; otherwise one list in the order of asking. */
async function readTrials(path: string): Promise<readonly (readonly ResultRow[])[] | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const file = JSON.parse(text) as
    | readonly ResultRow[]
    | { readonly results: readonly ResultRow[] }
    | { readonly trials: readonly (readonly ResultRow[])[] };
  if ("trials" in file) return file.trials;
  return ["results" in file ? file.results : file];
}

function columnsOf(trials: readonly (readonly ResultRow[])[]) {
  const ids: string[] = [];
  const trial: number[] = [];
  const hard: (number | null)[] = [];
  const soft: (number | null)[] = [];
  const inputs = new Map<string, string>();
  const seen = new Map<string, number>();
  const rows = trials.flat();
  for (const row of rows) {
    const nth = seen.get(row.id) ?? 0;
    seen.set(row.id, nth + 1);
    ids.push(row.id);
    trial.push(nth);
    hard.push(row.hard ?? null);
    soft.push(row.soft ?? null);
    if (!inputs.has(row.id)) inputs.set(row.id, inputOf(row).slice(0, shownInput));
  }
  const isMixed = rows.some((row) => row.rules !== undefined);
  const rules = isMixed ? { rules: rows.map((row) => row.rules ?? []) } : {};
  return { ids, trial, hard, soft, inputs, ...rules };
}
