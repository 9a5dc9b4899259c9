import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { runCli } from "./support/run-cli.ts";
import { programsOnly } from "./support/sleep-command.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { readOutput } from "./terminal/read-output.ts";
import { type Terminal, openTerminal } from "../test/support/tmux.ts";

export const claim =
  "A training is readable in terminals of 80×24 and 200×50, without colour, in ASCII, in a dumb terminal and piped. Nothing wraps and every frame fits. However it ends, the terminal still works.";

const output = join(import.meta.dirname, "output/terminal");
const cli = join(import.meta.dirname, "../src/apps/cli/main.ts");
const patienceMs = 300_000;
const frameHead = /^(──|--) train [0-9a-f]{8},/;

/** Options: `--seed n`. Screens go to `proofs/output/terminal/`. */
export default async function proveTerminal({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 2);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  using place = temporaryDirectory("terminal");
  const office = hiddenRuleWorld({ seed, rules: 6, useful: 1, useless: 0, harmful: 0 });
  const latency = { kind: "uniform", minMs: 50, maxMs: short ? 250 : 800 } as const;
  // a few calls fail at first, so that there are errors to be shown
  const faults = { rate: 0.03, kinds: [{ kind: "429", retryAfterSeconds: 0.2 }, "503"] } as const;
  await using server = await startScriptedServer({ seed, world: office, latency, faults, record: false });
  log(`seed ${seed}: one training of a parcel office in each terminal, against a slow server`);

  const problems: string[] = [];
  const prepare = (name: string): Case => ({
    name,
    folder: writeProject(join(place.path, name), office, server.url),
    expect(fact, isTrue) {
      if (!isTrue) problems.push(`${name}: ${fact}`);
    },
  });
  const figures = {
    ...(await watchBoth(prepare, log)),
    ...(await watchPoor(prepare, log)),
    ...(await endBadly(prepare, log)),
  };
  for (const problem of problems) log(`FALLS SHORT  ${problem}`);
  log(`screens: ${output}`);
  return { ok: problems.length === 0, figures: { seed, ...figures, problems } };
}

interface Case {
  readonly name: string;
  readonly folder: string;
  readonly expect: (fact: string, isTrue: boolean) => void;
}

type Prepare = (name: string) => Case;

/** The two sizes that people have, with every frame checked. */
async function watchBoth(prepare: Prepare, log: ProofOptions["log"]) {
  const [small, large] = await Promise.all([
    watchTraining(prepare("80x24"), { columns: 80, rows: 24 }),
    watchTraining(prepare("200x50"), { columns: 200, rows: 50 }),
  ]);
  for (const { name, frames, widest, highest } of [small, large])
    log(`${name}: ${frames} frames, at most ${highest} lines of ${widest} columns`);
  return {
    frames: small.frames,
    widest: small.widest,
    highest: small.highest,
    framesLarge: large.frames,
    widestLarge: large.widest,
    highestLarge: large.highest,
  };
}

async function watchTraining(
  { name, folder, expect }: Case,
  { columns, rows }: { readonly columns: number; readonly rows: number },
) {
  await using terminal = await openTerminal({ columns, rows, cwd: folder, env: richEnv });
  const seen = await liveThrough(terminal, name);
  const drawn = readOutput(terminal.raw());
  expect("the command succeeds", seen.code === 0);
  expect("at least ten frames are drawn", drawn.frames >= 10);
  expect(`no line is wider than ${columns} columns (${drawn.widest})`, drawn.widest <= columns);
  expect(`no frame is taller than the window (${drawn.highest})`, drawn.highest < rows);
  expect(
    "no frame leaves traces of another",
    seen.screens.every((lines) => headsIn(lines) <= 1),
  );
  expect("the cursor was hidden and came back", drawn.cursorHidden > 0 && (await terminal.isCursorVisible()));
  expect("there is colour", drawn.colours > 0);
  const all = seen.screens.flat().join("\n");
  for (const [what, pattern] of livePatterns) expect(`${what} is visible`, pattern.test(all));
  expectVerdict(expect, await historyOf(terminal));
  return { name, ...drawn };
}

const livePatterns: readonly (readonly [string, RegExp])[] = [
  ["the step", /── train [0-9a-f]{8}, step \d of \d, epoch \d of \d ─/],
  ["time left", /about \d+:\d\d left/],
  ["a bar with its rate", /rollout +[█░]+ {2}\d+\/\d+, \d+\/(s|min)/],
  ["the score with its interval", /val score \d+\.\d%.*95% interval \d+\.\d% to \d+\.\d%/],
  ["spend against its cap", /spend +[█░]+ {2}\d+ of 5000 calls/],
  ["the last verdict", /verdict +step \d (updated|unchanged|back|skipped): /],
  ["what is in flight", /waiting +for \d+ (target|optimizer) calls? \(/],
  ["errors by class", /errors +\d+ (throttle|overloaded|server|transport|outage)/],
];

/** No colour and a window that shrinks, ASCII, a dumb terminal, a pipe. */
async function watchPoor(prepare: Prepare, log: ProofOptions["log"]) {
  const [plain, dumb, piped] = await Promise.all([
    watchShrinking(prepare("no-colour-shrinking")),
    watchDumb(prepare("dumb")),
    watchPiped(prepare("piped")),
  ]);
  log(`no colour, shrinking from 120×40 to 80×24: ${plain.frames} frames, ${plain.colours} colours`);
  log(`dumb: ${dumb.escapes} escape sequences, at most ${dumb.widest} columns`);
  log(`piped: ${piped.escapes} escape sequences, ${piped.lines} lines for ${piped.calls} calls`);
  return {
    dumbEscapes: dumb.escapes,
    pipedEscapes: piped.escapes,
    pipedLines: piped.lines,
    calls: piped.calls,
  };
}

async function watchShrinking({ name, folder, expect }: Case) {
  const env = { ...richEnv, NO_COLOR: "1" };
  await using terminal = await openTerminal({ columns: 120, rows: 40, cwd: folder, env });
  const { code, screens } = await liveThrough(terminal, name, {
    when: (lines) => lines.some((line) => /^── train [0-9a-f]{8}, step [23]/.test(line)),
    act: () => terminal.resize(80, 24),
  });
  const drawn = readOutput(terminal.raw());
  expect("the command succeeds", code === 0);
  expect("no colour at all", drawn.colours === 0);
  expect(
    "no frame leaves traces, even after the window shrank",
    screens.every((lines) => headsIn(lines) <= 1),
  );
  expectVerdict(expect, await historyOf(terminal));
  return drawn;
}

async function watchDumb({ name, folder, expect }: Case) {
  const env = { ...richEnv, TERM: "dumb" };
  await using terminal = await openTerminal({ columns: 80, rows: 24, cwd: folder, env });
  const { code } = await liveThrough(terminal, name);
  // the shell itself prints nothing special, so all of it is ours
  const drawn = readOutput(terminal.raw());
  expect("the command succeeds", code === 0);
  expect(`no escape sequence (${drawn.escapes})`, drawn.escapes === 0);
  expect(`no line is wider than 80 columns (${drawn.widest})`, drawn.widest <= 80);
  expectVerdict(expect, await historyOf(terminal));
  return drawn;
}

async function watchPiped({ name, folder, expect }: Case) {
  const { code, printed } = await runCli(["train"], { cwd: folder, env: { ...baseEnv, CI: "true" } });
  writeFileSync(join(output, `${name}.txt`), printed);
  const calls = Number(/target \$0, (\d+) calls/.exec(printed)?.[1] ?? 0);
  const lines = printed.split("\n").length;
  const { escapes } = readOutput(printed);
  expect("the command succeeds", code === 0);
  expect(`no escape sequence (${escapes})`, escapes === 0);
  expect("not one line for each call", calls > 100 && lines < calls / 4);
  expectVerdict(expect, printed);
  return { escapes, calls, lines };
}

/** Ctrl-C, and a crash. */
async function endBadly(prepare: Prepare, log: ProofOptions["log"]) {
  const [stopped, crashed] = await Promise.all([
    interrupt(prepare("ctrl-c-ascii")),
    crashInTheMiddle(prepare("crash")),
  ]);
  log(`Ctrl-C: exit code ${stopped.code}; a crash: exit code ${crashed.code}`);
  return { interruptedCode: stopped.code ?? null, crashedCode: crashed.code ?? null };
}

async function interrupt({ name, folder, expect }: Case) {
  const env = { ...richEnv, LANG: "C" };
  await using terminal = await openTerminal({ columns: 80, rows: 24, cwd: folder, env });
  const { code, screens } = await liveThrough(terminal, name, {
    when: (lines) => lines.some((line) => /^-- train [0-9a-f]{8}, step 2/.test(line)),
    act: () => terminal.press("C-c"),
  });
  const end = (await terminal.screen()).join("\n");
  expect(`exit code 130 (${code})`, code === 130);
  expect("it says that it stopped and how to resume", /Stopped as you asked\.\nnext: Run the same/.test(end));
  expect(
    "bars are ASCII",
    screens.some((lines) => lines.some((line) => /rollout +[#.]{8}/.test(line))),
  );
  expect("nothing else is drawn", !/[█░●○│┤└─]/.test(screens.flat().join("\n")));
  await expectSane(terminal, expect);
  return { code };
}

async function crashInTheMiddle({ name, folder, expect }: Case) {
  const bomb = join(folder, "bomb.mjs");
  const fuse = join(folder, "fuse");
  writeFileSync(bomb, bombText(fuse));
  const env = { ...richEnv, NODE_OPTIONS: `--import=${bomb}` };
  await using terminal = await openTerminal({ columns: 80, rows: 24, cwd: folder, env });
  const { code, screens } = await liveThrough(terminal, name, {
    when: (lines) => headsIn(lines) === 1,
    act: async () => writeFileSync(fuse, ""),
  });
  expect(`exit code is not 0 (${code})`, code !== 0);
  expect(
    "it was in the middle of drawing",
    screens.some((lines) => headsIn(lines) === 1),
  );
  await expectSane(terminal, expect);
  return { code };
}

/** A defect that shows itself once a file is there. */
const bombText = (fuse: string): string => `import { existsSync } from "node:fs";
setInterval(() => {
  if (existsSync(${JSON.stringify(fuse)})) throw new Error("a defect of our own");
}, 50).unref();
`;

/** The cursor is there, and what is typed appears. */
async function expectSane(terminal: Terminal, expect: Case["expect"]): Promise<void> {
  expect("the cursor is visible", await terminal.isCursorVisible());
  await terminal.type("echo sa''ne");
  const isSane = await until(async () => (await terminal.screen()).some((line) => line === "sane"));
  expect("the shell works as before", isSane);
}

/** Also what has gone off a small screen: a table of rules may be longer than that. */
const historyOf = (terminal: Terminal): Promise<string> =>
  terminal.tmux("capture-pane", "-p", "-J", "-S", "-");

function expectVerdict(expect: Case["expect"], text: string): void {
  expect("the end shows the verdict", /^(better|not proven): kept \d+ of \d+ rules?, test /m.test(text));
  expect("the end shows the next step", /^ {2}next {3}whetstone diff [0-9a-f]{8}/m.test(text));
}

const headsIn = (lines: readonly string[]): number => lines.filter((line) => frameHead.test(line)).length;

interface Lived {
  readonly code: number | undefined;
  readonly screens: readonly (readonly string[])[];
}

/** Starts a training, looks at the screen several times a second until it ends, and keeps what was seen. */
async function liveThrough(
  terminal: Terminal,
  name: string,
  turn?: { readonly when: (lines: readonly string[]) => boolean; readonly act: () => Promise<void> },
): Promise<Lived> {
  const screens: (readonly string[])[] = [];
  let [code, isTurned] = [undefined as number | undefined, false];
  await terminal.type("clear; ./go");
  await until(async () => {
    const lines = await terminal.screen();
    const ended = lines
      .map((line) => /^exit code (\d+)$/.exec(line)?.[1])
      .find((found) => found !== undefined);
    if (ended !== undefined) code = Number(ended);
    if (screens.at(-1)?.join("\n") !== lines.join("\n")) screens.push(lines);
    if (turn !== undefined && !isTurned && turn.when(lines)) {
      isTurned = true;
      await turn.act();
    }
    return code !== undefined;
  });
  const pages = screens.map((lines, nth) => `--- screen ${nth + 1}\n${lines.join("\n")}`);
  writeFileSync(join(output, `${name}.txt`), `${pages.join("\n")}\n`);
  writeFileSync(join(output, `${name}.raw`), terminal.raw());
  return { code, screens };
}

async function until(isSo: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    if (await isSo()) return true;
    await sleep(200);
  }
  return false;
}

const baseEnv = { ...programsOnly(), HOME: "/nonexistent", LANG: "C.UTF-8" };
const richEnv = { ...baseEnv, TERM: "tmux-256color" };

/** A skill, tasks, a config, and `go`, which trains and says how that ended. */
function writeProject(folder: string, office: ReturnType<typeof hiddenRuleWorld>, url: string): string {
  const { train, val, test } = office.splits({ train: 24, val: 24, test: 24 });
  const config = {
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${url}/v1`,
    prices: { "office/target": { input: 0, output: 0 }, "office/optimizer": { input: 0, output: 0 } },
    spend: { calls: 5000 },
    concurrency: 16,
    epochs: 2,
    batchSize: 12,
  };
  mkdirSync(join(folder, "tasks"), { recursive: true });
  const files = {
    "SKILL.md": office.seedSkill(1),
    "tasks/train.json": JSON.stringify(train),
    "tasks/val.json": JSON.stringify(val),
    "tasks/test.json": JSON.stringify(test),
    "whetstone.config.json": JSON.stringify(config),
    go: `#!/bin/sh\ntrap : INT\n"${process.execPath}" "${cli}" train\necho "exit code $?"\n`,
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  chmodSync(join(folder, "go"), 0o755);
  return folder;
}
