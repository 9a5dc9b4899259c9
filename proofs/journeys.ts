import { join } from "node:path";
import { startScriptedServer } from "../src/testing/index.ts";
import { alignedTable } from "../test/support/aligned-table.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { author } from "./journeys/author.ts";
import { embedder } from "./journeys/embedder.ts";
import { estimateLines, isInside, measureEstimates, widthOf } from "./journeys/estimates.ts";
import type { Ending } from "./journeys/end-training.ts";
import type { Journey } from "./journeys/journey.ts";
import { readPages, whereRead } from "./journeys/known-words.ts";
import { parcelWorld } from "./journeys/parcel-world.ts";
import { researcher } from "./journeys/researcher.ts";
import { startSlowServer } from "./journeys/slow-server.ts";
import { copyProject, installPacked, personalPath } from "./journeys/stage.ts";
import { newcomer } from "./journeys/newcomer.ts";
import { type Way, meetStranger } from "./journeys/stranger.ts";
import { team } from "./journeys/team.ts";
import { tryPrinted } from "./journeys/try-printed.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";

export const claim =
  "The commands in pages and next steps lead from an empty project to an adoption or to the right refusal. After `doctor`, `plan` is right about the time.";

const journeys: readonly Journey[] = [author, embedder, team, researcher, newcomer];
/** Nobody can have read these: the check of typed commands must find that. */
const madeUp = [
  "whetstone learn",
  "whetstone adopt --now",
  "whetstone adopt 4ae1a746 --offline",
  "whetstone train --effort huge",
  "whetstone runs show --effort quick",
];
const leastInside = 0.8;
const mostWidth = 3;

/** Options: `--seeds n`, `--seed n`, `--rounds n` of estimates, `--only A` for one journey, `--only plan` for the estimates. */
export default async function proveJourneys({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 1 : 3);
  const first = numberOption(args, "seed", 3);
  const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;
  builtCli(log);
  using folder = temporaryDirectory("journeys");
  const installed = installPacked(folder.path);
  log("a real terminal, the packed package, a server on this machine that answers one call at a time");
  const waiting = journeys
    .filter(({ name }) => only === undefined || name.startsWith(only))
    .flatMap((journey) => Array.from({ length: seeds }, (_, at) => ({ journey, seed: first + at })))
    .values();
  const lived: Lived[] = [];
  const worker = async () => {
    for (const { journey, seed } of waiting)
      lived.push(await liveOnce(journey, seed, { installed, folder: folder.path, short, log }));
  };
  await Promise.all(Array.from({ length: short ? 4 : 2 }, worker));
  lived.sort((a, b) => a.name.localeCompare(b.name) || a.seed - b.seed);
  for (const line of tableOf(lived)) log(line);
  const pages = readPages();
  const faults = [
    ...lived.flatMap(({ way }) => way.faults),
    ...madeUp.flatMap((line) => (whereRead(line, pages) === undefined ? [] : [`${line} counts as read`])),
  ];
  for (const fault of faults) log(`DEAD END  ${fault}`);

  // alone, since these are times on the clock
  const rounds = only === undefined || only === "plan" ? numberOption(args, "rounds", short ? 1 : 7) : 0;
  const cli = join(installed, "node_modules/whetstone/dist/cli.js");
  const rows = await measureEstimates(folder.path, { cli, rounds, seed: first, short });
  const inside = rows.filter(isInside).length;
  const widest = Math.max(0, ...rows.map(widthOf));
  for (const line of rows.length === 0 ? [] : estimateLines(rows)) log(line);
  const isWide = widest > mostWidth;
  const isOutside = inside < leastInside * rows.length;
  if (isWide) log(`SHORT: a range of ${widest.toFixed(1)}×, and at most ${mostWidth}× is allowed`);
  if (isOutside) log(`SHORT: ${inside} of ${rows.length} runs took as long as \`plan\` said`);
  log(
    "not covered: real models, keys and prices, systems without tmux, GitHub itself, commands in other languages",
  );
  return {
    ok: faults.length === 0 && !isWide && !isOutside,
    // how long a run takes here a busy machine decides, too
    onlyLate: faults.length === 0 && !isWide,
    figures: {
      first,
      seeds,
      commands: Object.fromEntries(
        lived.map(({ name, seed, way }) => [`${name[0]}${seed}`, way.commands.length]),
      ),
      adopted: lived.filter(({ ending }) => ending?.kind === "adopted").length,
      refused: lived.filter(({ ending }) => ending?.kind === "refused").length,
      faults,
      estimates: rows.length,
      inside,
      widest: Number(widest.toFixed(1)),
    },
  };
}

interface Lived {
  readonly name: string;
  readonly seed: number;
  readonly way: Way;
  /** Commands that were typed afterwards because they had been printed. */
  readonly tried: number;
  /** Missing where the journey could not go on. */
  readonly ending: Ending | undefined;
  readonly seconds: number;
}

interface Stage extends Pick<ProofOptions, "short" | "log"> {
  /** A project with the packed package. */
  readonly installed: string;
  readonly folder: string;
}

async function liveOnce(
  journey: Journey,
  seed: number,
  { installed, folder, short, log }: Stage,
): Promise<Lived> {
  const { name, files, odd = 0, live } = journey;
  const letter = `${name.slice(0, 1)}${seed}`;
  const began = performance.now();
  const world = parcelWorld(seed);
  const faults = odd === 0 ? undefined : ({ rate: odd, kinds: ["empty", "truncated"] } as const);
  await using behind = await startScriptedServer({ seed, world, record: false, ...(faults && { faults }) });
  await using server = await startSlowServer({
    behind: behind.url,
    models: ["small-7b", "other-7b"],
    slots: 1,
    msOf: ({ prompt }) => (short ? 8 : 30) + (prompt % (short ? 8 : 30)),
  });
  const home = join(folder, `home-${letter}`);
  const cwd = copyProject(installed, join(folder, letter), files(world));
  await using person = await meetStranger({ name: letter, cwd, home, path: personalPath(home) });
  let ending: Ending | undefined;
  try {
    ending = await live(person, { world, url: `${server.url}/v1` });
  } catch (error) {
    person.expect(`it goes on: ${String(error)}`, false);
  }
  const { way } = person;
  const seconds = Math.round((performance.now() - began) / 1000);
  const typed = [...way.commands];
  const tried = short ? 0 : await tryPrinted(person);
  log(`${name}, seed ${seed}: ${server.answered} calls`);
  for (const { line, where, shown } of typed)
    log(`  ${line.replace(cwd, ".")}  [${shown.code}, ${(shown.ms / 1000).toFixed(1)} s; from ${where}]`);
  return { name, seed, way: { ...way, commands: typed }, tried, ending, seconds };
}

const tableOf = (lived: readonly Lived[]): readonly string[] =>
  alignedTable({
    title: "Journeys",
    head: ["journey", "seed", "commands", "others", "tried", "seconds", "silent at most", "end"],
    rows: lived.map(({ name, seed, way, tried, ending, seconds }) => [
      name,
      String(seed),
      String(way.commands.length),
      String(way.others.length),
      String(tried),
      String(seconds),
      `${(way.silentMs / 1000).toFixed(1)} s in ${way.silentAt.replace("npx whetstone ", "").split(" ")[0]}`,
      ending === undefined ? "none" : `${ending.kind}: ${ending.words}`,
    ]),
  });
