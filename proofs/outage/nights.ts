import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../src/index.ts";
import { type ScriptedServer, startScriptedServer } from "../../src/testing/index.ts";
import {
  type SleepProject,
  decisionsOf,
  makeSleepProject,
  memoryBefore,
  remembered,
} from "../../test/support/commit-project.ts";
import { servedWorld } from "../../test/support/commit-world.ts";
import { complaintOf, sleepCommand } from "../support/sleep-command.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type Incident, readCall } from "./incidents.ts";

/** Two nights without an incident. */
export interface Reference {
  readonly sentences: readonly string[];
  /** By night. */
  readonly calls: readonly number[];
  readonly decisions: string;
  /** Requests of the second night that rules are judged by. */
  readonly val: readonly string[];
  readonly rules: number;
}

/** Conversations up to the first night, and up to the second. */
const talks = [6, 18] as const;

export async function nightsAsTheyShould(seed: number): Promise<Reference> {
  using place = temporaryDirectory("outage-reference");
  await using server = await startScriptedServer({ seed, world: servedWorld({ seed, judged: true }) });
  const project = await firstNight(place.path, server, seed);
  const calls = server.callCount;
  project.talk(...talks);
  await sleepCommand(project, ["run"]);
  const after = remembered(project);
  return {
    sentences: after.state?.nights.map(({ sentence }) => sentence) ?? [],
    calls: [calls, server.callCount - calls],
    decisions: decisionsOf(after),
    val: (after.state?.archive ?? [])
      .filter(({ split, firstSeen }) => split === "val" && firstSeen === "0002")
      .map(({ task }) => task.input),
    rules: after.proposals.length,
  };
}

export interface NightEnd {
  readonly code: number | null;
  readonly ms: number;
  readonly printed: string;
  /** The sentence that tells of the incident. */
  readonly said: string;
  /** Calls that reached the provider. */
  readonly calls: number;
  /** Lines that the log has more, and the last of them. */
  readonly logged: number;
  readonly logLine: string;
  readonly sameState: boolean;
  /** Proposals that are there more. */
  readonly staged: number;
  readonly sameMemory: boolean;
  /** Of the same command, once the incident is over. */
  readonly againCode: number | null;
  readonly same: boolean;
}

/**
 * A first night in peace, a second one that meets the incident, and the same command after it. `isFast`: on a clock whose
 * back-offs and probes pass thirty times as fast.
 */
export async function nightsWith(
  incident: Incident,
  {
    seed,
    reference,
    isFast,
  }: { readonly seed: number; readonly reference: Reference; readonly isFast: boolean },
): Promise<NightEnd> {
  using place = temporaryDirectory("outage");
  await using server = await startScriptedServer({ seed, world: servedWorld({ seed, judged: true }) });
  const project = await firstNight(place.path, server, seed);
  project.talk(...talks);
  const before = { ...remembered(project), bytes: stateBytes(project), calls: server.callCount };
  server.faults = (_, attempt, request) =>
    incident.fault(readCall(request, attempt, server.callCount - 1 - before.calls, reference.val));
  const run = () => sleepCommand(project, ["run"], isFast ? { NODE_OPTIONS: `--import ${fastTime}` } : {});
  const end = await run();
  const during = remembered(project);
  const calls = server.callCount - before.calls;
  const sameState = stateBytes(project) === before.bytes;
  server.faults = undefined;
  const again = end.code === 0 ? end : await run();
  return {
    ...end,
    said: end.code === 0 ? "the night went on by itself" : complaintOf(end),
    calls,
    logged: during.log.length - before.log.length,
    logLine: during.log.at(-1) ?? "",
    sameState,
    staged: during.proposals.length - before.proposals.length,
    sameMemory: remembered(project).memory === memoryBefore,
    againCode: again.code,
    same: decisionsOf(remembered(project)) === reference.decisions,
  };
}

async function firstNight(folder: string, server: ScriptedServer, seed: number): Promise<SleepProject> {
  const project = await makeSleepProject({
    folder,
    conversations: talks[0],
    config: configFor(server, seed),
  });
  await sleepCommand(project, ["run"]);
  return project;
}

export const configFor = ({ url }: ScriptedServer, seed: number): Config => ({
  target: "scripted/small",
  optimizer: "scripted/large",
  judge: "scripted/judge",
  providers: { scripted: { baseURL: `${url}/v1` } },
  prices: Object.fromEntries(
    ["small", "large", "judge"].map((name) => [`scripted/${name}`, { input: 0.2, output: 1 }]),
  ),
  seed,
});

const fastTime = join(import.meta.dirname, "fast-time.ts");

const stateBytes = ({ journalDir }: SleepProject): string =>
  readFileSync(join(journalDir, "sleep/state.json"), "utf8");
