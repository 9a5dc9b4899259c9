import { colors } from "../show/colors.ts";
import type { Config } from "../../../config/schema.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { createDemo, demoSettings } from "../../../run/demo-world.ts";
import { train } from "../../../run/verbs/train.ts";
import { startScriptedServer } from "../../../testing/scripted-server/start-scripted-server.ts";
import type { Io } from "../io.ts";
import { trainedLines } from "../show/print-result.ts";
import { resultPlace, watched } from "./train-command.ts";

export interface DemoFlags {
  readonly seed: number;
  readonly fresh?: string;
  readonly journal: string;
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
  const run = await watched(config, json, io, (hooks) => train({ ...config, ...hooks }));
  if (!json) io.print(["", ...trainedLines(run, resultPlace(io), { next })].join("\n"));
}

/** A skill without a file cannot be adopted into one. */
const next = "your own skill: whetstone init finds it, its evals and your models";

const about = [
  `A parcel office has ${demoSettings.rules} rules, one shelf code for each kind of parcel. The`,
  `skill knows ${demoSettings.rulesHeld} of them. A scripted model (no key, no money, no network) sorts`,
  "parcels by the skill; another reads its mistakes and proposes edits, some of",
  "them useless or harmful. What the gate keeps is the result.",
];
