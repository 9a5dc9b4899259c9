import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../adapters/make-folder.ts";
import { journalPlace } from "../../../config/journal-place.ts";
import { colors } from "../../../show/format.ts";
import type { Config } from "../../../config/schema.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { createDemo, demoSettings } from "../../../run/demo-world.ts";
import { locateFile } from "../../../run/offer/live-skill.ts";
import { writeLiveTarget } from "../../../run/offer/live-target.ts";
import { type Trained, train } from "../../../run/verbs/train.ts";
import { startScriptedServer } from "../../../testing/scripted-server/start-scripted-server.ts";
import type { Io } from "../../../show/io.ts";
import { nextAfterTraining } from "../../../report/next-step.ts";
import { trainedLines } from "../../../show/print-result.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { resultPlace, watched } from "./train-command.ts";

export interface DemoFlags {
  readonly seed: number;
  readonly fresh?: string;
  readonly journal?: string | undefined;
  readonly json: boolean;
}

/** `whetstone demo`: a whole training run against a scripted model server on this machine. */
export async function demoCommand({ seed, fresh, journal, json }: DemoFlags, io: Io): Promise<void> {
  if (!Number.isSafeInteger(seed)) {
    throw new WhetstoneError("usage", "--seed must be a whole number.", {
      hint: "Leave it out, or give one such as --seed 7.",
    });
  }
  const demo = createDemo({ seed });
  // slow enough to be watched
  const latency = { kind: "uniform", minMs: 15, maxMs: 100 } as const;
  await using server = await startScriptedServer({ seed, world: demo.world, latency, record: false });
  if (!json) io.print(`${about.map((line) => colors.dim(line)).join("\n")}\n`);
  const config: Config = { ...demo.config(server.url), ...(fresh === undefined ? {} : { fresh }), journal };
  const path = join(io.cwd, seed === 1 ? "whetstone-demo" : `whetstone-demo-${seed}`, "SKILL.md");
  const isNew = leaveSkill(path, demo.skill);
  const run = await watched(config, json, io, (hooks) => train({ ...config, ...hooks }));
  // the run gets its skill from code, so it's the same run whatever happened to the file
  const place = journalPlace(journal, io.cwd);
  await writeLiveTarget(run.id, locateFile(path), place.journalDir);
  if (json) return;
  const shown = shownFrom(io.cwd);
  const given = journal === undefined ? "" : ` --journal ${shown(place.journalDir)}`;
  const after = nextLines(run, { path: shown(path), isNew, given });
  const room = resultPlace(io);
  const [next = "", ...more] = after;
  // the demo doesn't have the flags that continue a search
  const summary = { ...run.summary, undecided: undefined };
  const lines = trainedLines({ ...run, summary }, { ...room, rows: room.rows - more.length }, { next });
  io.print(["", ...lines, ...more.map((line) => `         ${line}`)].join("\n"));
}

/** Writes the skill to a file that can be adopted into, and returns whether it's new. An existing file isn't changed. */
function leaveSkill(path: string, text: string): boolean {
  makeFolder(dirname(path));
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The commands to type next, one per line. */
function nextLines(
  { id, verdict, summary }: Trained,
  { path, isNew, given }: { readonly path: string; readonly isNew: boolean; readonly given: string },
): readonly string[] {
  const run = id.slice(0, 8);
  const own = "for your own skill: whetstone init finds it, its evals and your models";
  if (verdict === "unchanged") return [own];
  const unproven = nextAfterTraining(summary).includes("--unproven") ? " --unproven" : "";
  return [
    `the skill is in ${path}${isNew ? "" : " (it existed, and is unchanged)"}; type`,
    `  whetstone diff ${run}${given}`,
    `  whetstone adopt ${run}${unproven}${given}`,
    `  whetstone undo ${run}${given}`,
    own,
  ];
}

const about = [
  `A parcel office has ${demoSettings.rules} rules, one shelf code for each kind of parcel. The`,
  `skill knows ${demoSettings.rulesHeld} of them. A scripted model (no key, no money, no network) sorts`,
  "parcels by the skill; another reads its mistakes and proposes edits, some of",
  "them useless or harmful. The result is what the gate keeps.",
];
