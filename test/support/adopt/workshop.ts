import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Resolved } from "../../../src/config/resolve/resolved.ts";
import type { ArmCosts } from "../../../src/core/measure/arm-costs.ts";
import type { ProposalInput } from "../../../src/core/offer/proposal.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import { type FileOperations, fileOperations } from "../../../src/run/offer/file-operations.ts";
import { writeTarget } from "../../../src/run/offer/live-target.ts";
import { type FinishedRun, proposalArtifacts } from "../../../src/run/offer/proposal.ts";
import { lookedAt } from "../looked.ts";
import type { Order } from "./worker.ts";

/** For commands that nobody kills: no power is cut here, and waiting for the disk is most of their time. */
export const unsynced: FileOperations = { ...fileOperations, sync: () => {}, syncFolder: () => {} };

/** A live skill and what a run proposes for it. */
export interface Kind {
  readonly name: string;
  readonly original: Skill;
  readonly best: Skill;
  /** One file, or a folder with all of them. */
  readonly isFile: boolean;
  readonly modes: Readonly<Record<string, number>>;
}

export interface Workshop {
  readonly kind: Kind;
  /** Everything of one case is below it. */
  readonly dir: string;
  /** The folder that the live skill is in. */
  readonly live: string;
  readonly run: FinishedRun;
}

/** A place with the live skill and the run's folder, as a finished training run leaves them. */
export async function makeWorkshop(
  dir: string,
  kind: Kind,
  offered: Pick<ProposalInput, "rules" | "baseline" | "looked"> = {},
): Promise<Workshop> {
  rmSync(dir, { recursive: true, force: true });
  const { original, best, isFile, modes } = kind;
  const live = join(dir, "live");
  for (const [path, text] of Object.entries(original.files)) put(join(live, path), text, modes[path]);
  const run: FinishedRun = { run: "run1", folder: join(dir, "run1"), journalDir: join(dir, ".whetstone") };
  const skillPath = isFile ? join(live, original.main) : live;
  await writeTarget(run.run, { skillPath, journalDir: run.journalDir } as Resolved);
  const sealed = {
    verdict: "better",
    sentence: "Better by the sealed test.",
    answeredBy: ["target-1"],
    leftOut: ["task-9"],
    perRollout: costs,
  } as const;
  const artifacts = {
    ...exported("skills/skill_v0000", original),
    ...exported("best_skill", best),
    ...proposalArtifacts({ run: run.run, original, best, sealed, looked: lookedAt(best), ...offered }),
  };
  for (const [path, text] of Object.entries(artifacts)) put(join(run.folder, path), text);
  return { kind, dir, live, run };
}

const costs: ArmCosts = {
  pairs: 40,
  level: 0.9,
  scope: "tasks like these",
  tokens: { before: 900, after: 980 },
  turns: { before: 1, after: 1 },
  skillTokens: { before: 60, after: 140 },
};

/** Runs the order in its own process: the operations it did, or undefined when it was killed. */
export async function execute(order: Order): Promise<readonly string[] | undefined> {
  const worker = join(import.meta.dirname, "worker.ts");
  const child = spawn(process.execPath, [worker, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(order.run.folder, "../../compiled") },
  });
  let [out, errors] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (errors += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return undefined;
  if (code === 0) return JSON.parse(out) as string[];
  throw new Error(`${order.command} ended with ${code ?? signal}: ${errors}`);
}

/** Every entry below a folder with its kind, mode and bytes. */
export function readTree(folder: string): ReadonlyMap<string, string> {
  const tree = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const mode = (lstatSync(path).mode & 0o7777).toString(8);
    const text = entry.isFile() ? `${mode} ${readFileSync(path, "base64")}` : `${mode} folder`;
    tree.set(path.slice(folder.length + 1), text);
  }
  return new Map([...tree].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Remembers a folder, to put it back under the same path any number of times. */
export function remember(dir: string): { restore(): void; forget(): void } {
  const copy = `${dir}.copy`;
  cpSync(dir, copy, { recursive: true });
  return {
    restore: () => {
      rmSync(dir, { recursive: true, force: true });
      cpSync(copy, dir, { recursive: true });
    },
    forget: () => rmSync(copy, { recursive: true }),
  };
}

function exported(name: string, { main, files }: Skill): Readonly<Record<string, string>> {
  if (Object.keys(files).length === 1) return { [`${name}.md`]: files[main] ?? "" };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]));
}

function put(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (mode !== undefined) chmodSync(path, mode);
}
