import { lstatSync } from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../../src/core/errors.ts";
import { adoptOffer, finishAll } from "../../../src/run/offer/adopt.ts";
import { diffOffer } from "../../../src/run/offer/diff-proposal.ts";
import { undoOffer } from "../../../src/run/offer/undo.ts";
import { type Kind, makeWorkshop, readTree, remember, unsynced, type Workshop } from "./workshop.ts";

type Tree = ReadonlyMap<string, string>;

/** How the live folder looks before adopting and after it, when nobody interferes. */
export interface Expected {
  readonly old: Tree;
  readonly now: Tree;
}

export async function expectedTrees(dir: string, kind: Kind): Promise<Expected> {
  const workshop = await makeWorkshop(dir, kind);
  const old = readTree(workshop.live);
  await adoptOffer(workshop.run, { operations: unsynced });
  return { old, now: readTree(workshop.live) };
}

/** What the living see right after a death: each file old or new, strangers untouched. */
export function judgeDeath({ live, kind }: Workshop, { old, now }: Expected): readonly string[] {
  const violations: string[] = [];
  const found = readTree(live);
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    if (![old.get(path), now.get(path)].includes(found.get(path)))
      violations.push(`${path} is neither old nor new`);
  }
  for (const path of found.keys()) {
    const isOurs = /(?:^|\/)\.whetstone-[0-9a-f]{8}\.tmp$/.test(path);
    if (!isOurs && !old.has(path) && !now.has(path)) violations.push(`${path} should not be there`);
  }
  if (kind.isFile && [...found.keys()].filter((path) => !path.endsWith(".tmp")).join() !== kind.original.main)
    violations.push("the one file is not there");
  return violations;
}

/** What does not change is not even opened for writing. */
export const stampsOf = ({ live, kind }: Workshop): string =>
  Object.keys(kind.original.files)
    .filter((path) => kind.original.files[path] === kind.best.files[path])
    .map((path) => lstatSync(join(live, path)))
    .map(({ ino, mtimeMs, mode }) => `${ino} ${mtimeMs} ${mode}`)
    .join();

export const nextCommands = ["diff", "finish", "adopt", "undo"] as const;
type NextCommand = (typeof nextCommands)[number];

/** Lets next commands meet what the dead process left, each from the same state. */
export async function judgeNext(
  workshop: Workshop,
  commands: readonly NextCommand[],
  { old, now }: Expected,
): Promise<readonly string[]> {
  const violations: string[] = [];
  const check = (after: string, ...wanted: readonly Tree[]) => {
    const found = readTree(workshop.live);
    if (!wanted.some((tree) => isSame(found, tree)))
      violations.push(`after ${after}: not the files that should be there, as a set`);
  };
  const { run } = workshop;
  const options = { operations: unsynced };
  const left = remember(workshop.dir);
  try {
    for (const command of commands) {
      left.restore();
      if (command === "diff") {
        const found = readTree(workshop.live);
        await diffOffer(run);
        check("diff, which only looks", found);
      } else if (command === "finish") {
        finishAll(run.journalDir, options);
        check("finish", old, now);
        const first = readTree(workshop.live);
        finishAll(run.journalDir, options);
        check("finish, twice", first);
      } else if (command === "adopt") {
        await adoptOffer(run, options);
        check("adopt", now);
        await undoOffer(run, options);
        check("adopt and undo", old);
      } else {
        await undoIfAdopted(workshop);
        check("undo", old);
        await adoptOffer(run, options);
        check("undo and adopt", now);
      }
    }
  } catch (error) {
    violations.push(String(error));
  } finally {
    left.forget();
  }
  return violations;
}

/** A process that died before it had written its receipt has changed nothing, so there is nothing to undo. */
async function undoIfAdopted({ run }: Workshop): Promise<void> {
  try {
    await undoOffer(run, { operations: unsynced });
  } catch (error) {
    if (!(error instanceof WhetstoneError && error.code === "not-found")) throw error;
  }
}

const isSame = (a: Tree, b: Tree): boolean =>
  a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
