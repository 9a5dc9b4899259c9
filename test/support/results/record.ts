import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { Json } from "../../../src/ports.ts";
import type { ProofResult } from "../proof.ts";

/** One execution of a proof. `proofs/results` has a file for each; RESULTS.md is made of them. */
export interface ProofRecord {
  readonly proof: string;
  /** Whether all of it was run, and on what. */
  readonly form: string;
  readonly command: string;
  readonly seed: Json;
  readonly commit: string;
  /** Of the files that it ran; missing in records from before it was noted. */
  readonly code?: string;
  readonly machine: string;
  readonly date: string;
  readonly seconds: number;
  /** Whether every bar held. */
  readonly ok: boolean;
  readonly figures: ProofResult["figures"];
  /** What came out, in Markdown; without it, the page shows what was printed. */
  readonly page?: readonly string[];
  /** What it printed. */
  readonly lines?: readonly string[];
}

const root = join(import.meta.dirname, "../../..");
export const resultsFolder = join(root, "proofs/results");

export interface Execution extends ProofResult {
  readonly proof: string;
  readonly short: boolean;
  /** What stood after `--`. */
  readonly args: readonly string[];
  readonly seconds: number;
  readonly lines: readonly string[];
  /** What was checked out when it began. @default what is checked out now */
  readonly commit?: string;
  readonly code?: string;
}

/** `--record`, or `--record=name` for one of several records of a proof. */
const recordOption = /^--record(?:=(.+))?$/;

export const wantsRecord = (args: readonly string[]): boolean => args.some((word) => recordOption.test(word));

export const withoutRecord = (args: readonly string[]): readonly string[] =>
  args.filter((word) => !recordOption.test(word));

/** What a finished execution leaves behind, at this commit and on this machine. */
export function recordOf(execution: Execution): ProofRecord {
  const { proof, short, args, seconds, lines, ok, figures, page, code, commit = commitNow() } = execution;
  const options = withoutRecord(args);
  const shown = [...(short ? ["--short"] : []), ...options].join(" ");
  return {
    proof,
    form: short ? "short" : options.length > 0 ? `with ${options.join(" ")}` : "full",
    command: `npm run -s proof ${proof}${shown === "" ? "" : ` -- ${shown}`}`,
    seed: figures["seed"] ?? null,
    commit,
    ...(code === undefined ? {} : { code }),
    machine: machineNow(),
    date: new Date().toISOString().slice(0, 10),
    seconds,
    ok,
    figures,
    ...(page === undefined ? { lines } : { page: page.trim().split("\n") }),
  };
}

/** Writes the file that `--record` among the options asks for. */
export function writeRecord(record: ProofRecord, args: readonly string[]): string {
  const part = args.flatMap((word) => recordOption.exec(word)?.[1] ?? []).at(-1);
  const name = `${record.proof}${part === undefined ? "" : `.${part}`}.json`;
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, name), `${JSON.stringify(record, undefined, 2)}\n`);
  return `proofs/results/${name}`;
}

/** All records, by file name without its ending. */
export function readRecords(): ReadonlyMap<string, ProofRecord> {
  const files = readdirSync(resultsFolder).filter((file) => file.endsWith(".json"));
  return new Map(
    files
      .toSorted()
      .map((file) => [
        file.slice(0, -".json".length),
        JSON.parse(readFileSync(join(resultsFolder, file), "utf8")) as ProofRecord,
      ]),
  );
}

/** What is checked out, and whether it was changed. */
export function commitNow(): string {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const changed = git("status", "--porcelain", "--", "src", "ui", "proofs/*.ts", "test/support").trim();
  return `${git("rev-parse", "--short", "HEAD").trim()}${changed === "" ? "" : " and changes"}`;
}

export function machineNow(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${first?.model ?? "unknown"}), ${memory} GB, ${process.platform}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}`;
}
