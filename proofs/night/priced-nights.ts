import {
  type Config,
  type Night,
  type Range,
  type RunEvent,
  WhetstoneError,
  review,
  runNight,
} from "../../src/index.ts";
import { charge } from "../../test/support/charge.ts";
import { type ScriptedServer, seededRandom, startScriptedServer } from "../../src/testing/index.ts";
import { allowNights, readNightState, readStaged } from "../../test/support/night-files.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { runCli } from "../support/run-cli.ts";
import { programsOnly } from "../support/sleep-command.ts";
import { dayOf } from "./days.ts";
import { writeTalks } from "./histories.ts";
import { type NightPlace, makePlace, nightConfig, nightPrices } from "./place.ts";
import { nightWorld } from "./world.ts";

export interface History {
  readonly seed: number;
  /** Conversations of each day. */
  readonly days: readonly number[];
  readonly verbosity: number;
  readonly noise: number;
  /** Whether the person adopts what was proven or stated before the next night. */
  readonly adopts: boolean;
}

/** Projects of different people: from a few conversations a day to many, terse and talkative models. */
export function historyOf(seed: number, nights: number): History {
  const random = seededRandom("night-history", seed);
  const usual = 6 + Math.floor(random() * 34);
  return {
    seed,
    days: Array.from({ length: nights }, () => Math.max(2, Math.round(usual * (0.5 + random())))),
    verbosity: 0.5 + 2.5 * random(),
    noise: 0.05 + 0.15 * random(),
    adopts: random() < 0.6,
  };
}

export interface PricedNight {
  readonly seed: number;
  readonly night: number;
  readonly conversations: number;
  readonly tasks: number;
  readonly isCold: boolean;
  readonly plan: { readonly calls: Range; readonly nanoUsd: Range };
  readonly calls: number;
  readonly nanoUsd: number;
  readonly problems: readonly string[];
  /** Of executions that were stopped by a cap: how much of it the provider was asked for. */
  readonly capped: readonly { readonly cap: string; readonly share: number }[];
}

/** All nights of one person. The last one meets caps that are too small before it is let through. */
export async function priceHistory(history: History): Promise<readonly PricedNight[]> {
  using root = temporaryDirectory("night-price");
  const place = makePlace(root.path);
  const { seed, days, verbosity, noise } = history;
  await using server = await startScriptedServer({ seed, world: nightWorld({ seed, verbosity, noise }) });
  const begun = Date.now() - (days.length + 1) * 3_600_000;
  const { project, journalDir } = place;
  allowNights(journalDir, { project, sources: ["claude-code", "codex", "opencode"], at: begun });
  process.env["HOME"] = place.home;
  const nights: PricedNight[] = [];
  let first = 0;
  for (const [at, talks] of days.entries()) {
    const endedAt = begun + (at + 1) * 3_600_000;
    writeTalks(
      place.home,
      dayOf({ seed, day: `${at}`, cwd: place.project, endedAt, talks, first, verbosity }),
    );
    first += talks;
    nights.push(await priceNight(history, at, { place, server }));
    if (history.adopts) await adoptKnown(place);
  }
  return nights;
}

interface Lived {
  readonly place: NightPlace;
  readonly server: ScriptedServer;
}

async function priceNight({ seed, days }: History, at: number, lived: Lived): Promise<PricedNight> {
  const isLast = at === days.length - 1;
  // not even one conversation fits under the first two
  const caps: readonly NonNullable<Config["spend"]>[] = isLast
    ? [{ calls: 4 }, { usd: 0.004 }, { usd: 5 }]
    : [{ usd: 5 }];
  const before = lived.server.calls.length;
  const problems: string[] = [];
  const capped: { cap: string; share: number }[] = [];
  let plan: PricedNight["plan"] | undefined;
  for (const [round, cap] of caps.entries()) {
    const isTight = round < caps.length - 1;
    const { events, result } = await tryNight(cap, lived);
    const planned = events.findIndex(({ type }) => type === "plan");
    const told = events[planned];
    if (told?.type !== "plan") problems.push("no estimate was printed");
    else plan ??= { calls: told.calls, nanoUsd: told.nanoUsd };
    const called = events.findIndex(({ type }) => type === "try-start");
    if (called !== -1 && called < planned)
      problems.push("somebody was called before the estimate was printed");
    const asked = spentAt(lived.server, before);
    const share = cap.calls === undefined ? asked.nanoUsd / ((cap.usd ?? 0) * 1e9) : asked.calls / cap.calls;
    if (share > 1) problems.push(`a cap of ${JSON.stringify(cap)} was exceeded: ${share.toFixed(3)} of it`);
    if (isTight) {
      capped.push({ cap: JSON.stringify(cap), share: Math.round(1000 * share) / 1000 });
      problems.push(...stoppedProblems(result, told, cap, at, lived.place));
      continue;
    }
    if (result instanceof Error) throw result;
    return {
      seed,
      night: at + 1,
      conversations: result.conversations,
      tasks: result.tasks,
      isCold: readNightState(lived.place.journalDir)?.nights.length === 1,
      plan: plan ?? { calls: { low: 0, high: 0 }, nanoUsd: { low: 0, high: 0 } },
      calls: result.spent.calls,
      nanoUsd: result.spent.nanoUsd,
      problems,
      capped,
    };
  }
  throw new Error("no night was let through");
}

async function tryNight(
  spend: NonNullable<Config["spend"]>,
  { place, server }: Lived,
): Promise<{ readonly events: readonly RunEvent[]; readonly result: Night | WhetstoneError }> {
  const events: RunEvent[] = [];
  // a call is let through only when the longest reply it may give fits under the cap
  const lengths = { optimizerMaxTokens: 2048, targetMaxTokens: 512 };
  const sleep = { maxConversations: 60, maxTasks: 60 };
  try {
    const result = await runNight({
      ...nightConfig(server.url),
      ...lengths,
      sleep,
      spend,
      cwd: place.project,
      onEvent: (event) => events.push(event),
    });
    return { events, result };
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return { events, result: error };
  }
}

/** A night that a cap ended says so, has staged nothing and is not over. */
function stoppedProblems(
  result: Night | WhetstoneError,
  told: RunEvent | undefined,
  cap: NonNullable<Config["spend"]>,
  at: number,
  { journalDir }: NightPlace,
): readonly string[] {
  const ended = readNightState(journalDir)?.nights.length ?? 0;
  const staged = readStaged(journalDir).filter(({ night }) => Number(night) > at);
  const isBelow =
    told?.type === "plan" &&
    (cap.calls === undefined ? (cap.usd ?? 0) * 1e9 < told.nanoUsd.low : cap.calls < told.calls.low);
  return [
    ...(result instanceof WhetstoneError && result.code === "spend-cap" && result.exitCode === 4
      ? []
      : [`a cap of ${JSON.stringify(cap)} did not stop the night`]),
    ...(ended === at ? [] : ["a night that was stopped counts as over"]),
    ...(staged.length === 0 ? [] : ["a night that was stopped has staged something"]),
    ...(isBelow && told?.type === "plan" && !told.message.includes("is lower than that")
      ? ["nobody was told that the cap is too small"]
      : []),
  ];
}

/** What the provider was asked for, by its own count. */
function spentAt(
  { calls }: ScriptedServer,
  from: number,
): { readonly calls: number; readonly nanoUsd: number } {
  const own = calls.slice(from);
  const nanoUsd = own.reduce((sum, { request, answer }) => {
    const price = Object.entries(nightPrices).find(([id]) => id.endsWith(`/${request.model}`))?.[1];
    return sum + (answer === undefined || price === undefined ? 0 : charge(answer.usage, price));
  }, 0);
  return { calls: own.length, nanoUsd };
}

async function adoptKnown({ journalDir, project, home }: NightPlace): Promise<void> {
  for (const { id, state, rules } of (await review({ journal: journalDir })).waiting) {
    const known = rules.filter(({ status }) => status !== "open");
    if (state !== "staged" || known.length === 0) continue;
    const asked = known.flatMap(({ powers }) => powers).filter(({ rank }) => rank === "ask");
    const words = ["adopt", id, ...asked.flatMap((power) => ["--acknowledge", power.id])];
    const env = { ...programsOnly(), HOME: home };
    const { code, printed } = await runCli(words, { cwd: project, env });
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${printed}`);
  }
}
