import { type Rates, charge } from "../../test/support/charge.ts";
import type { ChildProcess } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "../../test/support/project-state.ts";
import type { Config } from "../../src/index.ts";
import { type Cost, type Ledger, openJournal, readLedger } from "../../src/ports.ts";
import {
  type SleepProject,
  decisionsOf,
  makeSleepProject,
  remembered,
} from "../../test/support/commit-project.ts";
import { servedWorld } from "../../test/support/commit-world.ts";
import { type ScriptedBatch, startBatchServer } from "../../test/support/batch-server.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";
import type { CommandEnd } from "../support/run-cli.ts";
import { sleepCommand } from "../support/sleep-command.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

export interface BatchNight {
  /** How each process ended. */
  readonly ends: readonly CommandEnd[];
  readonly stops: readonly { readonly stop: Stop; readonly batch: ScriptedBatch; readonly said: string }[];
  readonly sentence: string;
  readonly decisions: string;
  readonly proposals: number;
  readonly batches: readonly ScriptedBatch[];
  /** How often the provider ran each key. */
  readonly asked: ReadonlyMap<string, number>;
  readonly booked: Cost;
  readonly lost: number;
  /** What the provider's calls cost in batches, and what the same ones cost otherwise, in billionths of a dollar. */
  readonly price: { readonly batch: number; readonly plain: number };
}

/** When and how a process is stopped. */
export interface Stop {
  /** Decides with the batches of the night so far, the last of which is just taken. */
  readonly at: (batches: readonly ScriptedBatch[]) => boolean;
  /** From then on; at once, it never hears that its batch was taken. */
  readonly afterMs: number;
  readonly signal: "SIGKILL" | "SIGINT";
}

const conversations = 18;
const delayMs = 300;
const models = { target: "openai/small", optimizer: "anthropic/large", judge: "openai/judge" } as const;
const prices: Readonly<Record<string, Rates>> = {
  [models.target]: { input: 0.2, output: 1 },
  [models.optimizer]: { input: 2, output: 10 },
  [models.judge]: { input: 0.4, output: 2 },
};

/**
 * One night with every model in batches: a process is stopped as said, and the same command typed again, to the end; in
 * another folder each time where a journal is shared.
 */
export async function batchNight(
  seed: number,
  stops: readonly Stop[],
  journalUrl?: string,
): Promise<BatchNight> {
  using place = temporaryDirectory("batch");
  const waiting = [...stops];
  const stopped: BatchNight["stops"][number][] = [];
  let child: ChildProcess | undefined;
  await using server = await startBatchServer({
    seed,
    world: servedWorld({ seed, judged: true }),
    batches: {
      delayMs,
      onSubmit(batch) {
        const [stop] = waiting;
        if (stop === undefined || !stop.at([...server.batches])) return;
        waiting.shift();
        stopped.push({ stop, batch, said: "" });
        const victim = child;
        if (stop.afterMs === 0) victim?.kill(stop.signal);
        else setTimeout(() => victim?.kill(stop.signal), stop.afterMs);
      },
    },
  });
  const journal = journalUrl === undefined ? {} : { journal: journalUrl };
  let project = await makeSleepProject({
    folder: join(place.path, "0"),
    conversations,
    config: { ...configFor(server, seed), ...journal },
  });
  const ends: CommandEnd[] = [];
  for (;;) {
    const before = stopped.length;
    const end = await sleepCommand(project, ["run"], keys, (started) => {
      child = started;
    });
    ends.push(end);
    if (stopped.length === before) break;
    const last = stopped.at(-1);
    if (last?.stop.signal === "SIGINT") stopped[stopped.length - 1] = { ...last, said: sayingOf(end) };
    if (journalUrl !== undefined) project = carryOver(project, join(place.path, String(ends.length)));
  }
  const after = remembered(project);
  const ledger = await ledgerOf(project, journalUrl);
  return {
    ends,
    stops: stopped,
    sentence: after.state?.nights[0]?.sentence ?? "",
    decisions: decisionsOf(after),
    proposals: after.proposals.length,
    batches: [...server.batches],
    asked: new Map(server.callsByKey),
    booked: ledger.spent,
    lost: ledger.lost,
    price: { batch: sum(server, "batch/"), plain: sum(server, "") },
  };
}

/** The project and what its nights remember, on another machine: nothing else of the folder with the journal. */
function carryOver(from: SleepProject, folder: string): SleepProject {
  const home = join(folder, "home");
  const path = join(home, "shop");
  cpSync(from.path, path, { recursive: true });
  const journalDir = projectState(path);
  cpSync(join(from.journalDir, "sleep"), join(journalDir, "sleep"), { recursive: true });
  return { ...from, home, path, journalDir };
}

async function ledgerOf({ journalDir }: SleepProject, journalUrl: string | undefined): Promise<Ledger> {
  const journal = await openJournal({ journalDir, journalUrl }, { readOnly: true });
  try {
    return await readLedger(journal.read());
  } finally {
    await journal.close();
  }
}

/** What it says of its end. */
const sayingOf = ({ printed }: CommandEnd): string =>
  printed.split("\n").findLast((line) => line.startsWith("Stopped")) ?? "";

const keys = { OPENAI_API_KEY: "sk-scripted", ANTHROPIC_API_KEY: "sk-scripted" };

const configFor = ({ url }: ScriptedServer, seed: number): Config => ({
  target: `batch/${models.target}`,
  optimizer: `batch/${models.optimizer}`,
  judge: `batch/${models.judge}`,
  providers: { openai: { baseURL: `${url}/v1` }, anthropic: { baseURL: `${url}/v1` } },
  prices,
  seed,
});

function sum({ calls }: ScriptedServer, way: string): number {
  return calls.reduce((total, { request, answer }) => {
    const id = Object.values(models).find((each) => each.endsWith(`/${request.model}`)) ?? "";
    const price = prices[id];
    if (price === undefined || answer === undefined) return Number.NaN;
    // in batches at half the price
    const part = way === "batch/" ? 0.5 : 1;
    return total + charge(answer.usage, { input: part * price.input, output: part * price.output });
  }, 0);
}
