import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { seededRandom, shuffle } from "../src/testing/index.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { provokeClaude } from "./hostile-clone/in-claude.ts";
import { installPacked, packPackage } from "./hostile-clone/install.ts";
import { writeHostileProject } from "./hostile-clone/project.ts";
import { type Recording, isBelow, record } from "./hostile-clone/recorder.ts";
import {
  type Typed,
  answered,
  askForTools,
  bareCommand,
  mcpTools,
  pluginCommands,
  typedCommands,
  typedHost,
} from "./hostile-clone/typed.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";

export const claim =
  "An attacker wrote every file, link and byte of a project. No command, flag, hook or MCP tool of the packed package writes elsewhere, starts a program, connects or leaks a secret there. Each ends within 10 s and 512 MB.";

const mostSeconds = 10;
const mostMegabytes = 512;
/** Commands whose work isn't the clone's: `demo` trains a skill of its own, for as long as that takes. */
const ownWork = new Set(["demo"]);
/** Commands that make a project of the folder they are typed in: that folder is the place they name. */
const makesHere: Readonly<Record<string, string>> = { init: ".", demo: "whetstone-demo" };

interface Fault {
  readonly project: number;
  readonly typed: string;
  readonly what: string;
}

interface Program {
  readonly bare: string;
  readonly withMcp: string;
  readonly compiled: string;
}

export default async function hostileClone({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const projects = numberOption(args, "projects", short ? 3 : 300);
  const first = numberOption(args, "first", short ? turn() : 0);
  const only = args[args.indexOf("--only") + 1];
  for (const line of leftOut) log(line);
  builtCli(log);
  using folder = temporaryDirectory("hostile");
  const packed = packPackage(folder.path);
  const program: Program = {
    bare: installPacked(packed, join(folder.path, "bare")),
    withMcp: installPacked(packed, join(folder.path, "with-mcp"), ["@modelcontextprotocol/sdk"]),
    compiled: join(folder.path, "compiled"),
  };
  const list = await listAll(program, folder.path);
  log(`${list.length} commands, flags, hooks and tools; projects ${first} to ${first + projects - 1}`);
  const unseen = await findUnseen(folder.path, program);
  for (const what of unseen) log(`the recorder doesn't notice when a program ${what}`);
  const faults: Fault[] = [];
  const late: string[] = [];
  const times = new Map<string, number>();
  let [mostCpu, mostMemory, next] = [0, 0, first];
  const work = async (worker: number): Promise<void> => {
    for (let project = next++; project < first + projects; project = next++) {
      // ten projects in a row have the whole list, each another tenth of it
      const turns = shuffle(list, seededRandom("hostile-clone", "turns", Math.floor(project / 10)));
      const tenth = turns.filter((typed, at) =>
        args.includes("--only") ? typed.name.includes(only ?? "") : at % 10 === project % 10,
      );
      const places = [true, false].map((withCode) =>
        openPlace(join(folder.path, `place-${worker}-${withCode ? "code" : "json"}`), project, withCode),
      );
      for (const typed of tenth) {
        const random = seededRandom("hostile-clone", project, typed.name);
        const place = places[typed.kind === "works" ? 1 : 0];
        if (place === undefined) continue;
        const done = await run(typed, place, program, random);
        times.set(typed.name, (times.get(typed.name) ?? 0) + 1);
        if (!ownWork.has(typed.name.split(" ")[0] ?? "")) {
          mostCpu = Math.max(mostCpu, done.cpuSeconds);
          mostMemory = Math.max(mostMemory, done.megabytes);
          if (done.wallSeconds > mostSeconds)
            late.push(`${typed.name} took ${done.wallSeconds.toFixed(1)} s`);
        }
        for (const what of faultsOf(typed, place, done)) {
          faults.push({ project, typed: typed.name, what });
          log(`project ${project}, ${done.line}: ${what}`);
        }
        if (args.includes("--print"))
          log(
            `project ${project}, ${done.line}: ${done.cpuSeconds.toFixed(1)} s, ${done.megabytes.toFixed(0)} MB: ${done.printed.split("\n")[0]}`,
          );
      }
    }
  };
  await Promise.all([0, 1].map(work));
  const runs = [...times.values()].reduce((sum, count) => sum + count, 0);
  const leastTimes = Math.min(...list.map(({ name }) => times.get(name) ?? 0));
  log(
    `${runs} runs, each of the list at least ${leastTimes} times; at most ${mostCpu.toFixed(1)} s of CPU and ${mostMemory.toFixed(0)} MB`,
  );
  const claude =
    short || args.includes("--only")
      ? { typed: 0, faults: [] }
      : await provokeClaude(folder.path, program.bare, log);
  for (const what of claude.faults) log(`Claude Code: ${what}`);
  for (const line of late) log(`over the time limit: ${line}`);
  const isOften = short || args.length > 0 || leastTimes >= 25;
  const isShown = faults.length + claude.faults.length === 0 && unseen.length === 0 && isOften;
  return {
    ok: isShown && late.length === 0,
    onlyLate: isShown,
    figures: {
      projects,
      first,
      list: list.length,
      runs,
      leastTimes,
      typedInClaudeCode: claude.typed,
      faults: faults.length + claude.faults.length,
      mostCpuSeconds: Math.round(mostCpu * 10) / 10,
      mostMegabytes: Math.round(mostMemory),
    },
  };
}

const leftOut: readonly string[] = [
  "not covered: code that working commands use by design when a person types them (configs in code, environments, scorers,",
  "  model hosts, a package.json that Node reads with code): they get the same projects, with JSON configs without any of these;",
  "  all other commands and MCP tools get all of it, and the proof `trust` shows what's refused unattended",
  "not covered: vendors' models, whose keys aren't set here; a terminal except for the bare command, so nobody can give a word or consent",
  "not covered: OpenCode's and Pi's extensions, which run in those agents, and `ls` in the plugin's night, which isn't ours",
  "not covered: how long `demo` trains its own skill; paths outside the clone that a person types",
];

/** By commit, so that the short form sees the whole list in time. */
function turn(): number {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" });
  return Number.parseInt(commit.slice(0, 3), 16);
}

async function listAll({ withMcp, bare }: Program, folder: string): Promise<readonly Typed[]> {
  const cwd = join(folder, "empty");
  mkdirSync(cwd);
  const { printed } = await record(process.execPath, [join(withMcp, "dist/cli.js"), "mcp"], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd },
    trace: join(folder, "tools"),
    mostSeconds: 60,
    input: askForTools,
    until: answered,
  });
  const tools = mcpTools(printed);
  if (tools.length === 0) throw new Error(`The MCP server lists no tools: ${printed}`);
  return [bareCommand, ...typedCommands(), ...pluginCommands(join(bare, "plugins/whetstone")), ...tools];
}

interface Place {
  readonly root: string;
  readonly clone: string;
  readonly home: string;
  readonly state: string;
  readonly tmp: string;
  readonly secrets: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A person's machine in a folder: a home with secrets, a state folder, and the clone. */
function openPlace(root: string, project: number, withCode: boolean): Place {
  const random = seededRandom("hostile-clone", project);
  rmSync(root, { recursive: true, force: true });
  const [clone, home, tmp, state] = ["clone", "home", "tmp", "home/.local/state/whetstone"].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const path of [clone, join(home, ".ssh"), join(home, "marks"), tmp])
    mkdirSync(path, { recursive: true });
  const secret = (name: string): string =>
    `${name}-${project}-${Math.floor(random() * 1e12).toString(36)}-secret`;
  const secrets = ["file", "token", "password"].map(secret);
  const secretFile = join(home, ".ssh/id_rsa");
  // as a task, a page and a setting it would be printed by those who read it
  writeFileSync(secretFile, `{"id":"${secrets[0]}","question":"${secrets[0]}","answers":["a"]}\n`);
  writeFileSync(join(home, ".bashrc"), "# mine\n");
  writeHostileProject({ clone, home, secretFile, random, withCode });
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: tmp,
    MARKS: join(home, "marks"),
    LANG: "C.UTF-8",
    DEPLOY_TOKEN: secrets[1] ?? "",
    PGPASSWORD: secrets[2] ?? "",
  };
  return { root: realpathSync(root), clone, home, state, tmp, secrets, env };
}

interface Done extends Recording {
  readonly line: string;
  readonly words: readonly string[];
}

async function run(
  typed: Typed,
  { clone, root, env }: Place,
  { bare, withMcp, compiled }: Program,
  random: () => number,
): Promise<Done> {
  const words = typed.words(random);
  const cli = join(typed.kind === "mcp" ? withMcp : bare, "dist/cli.js");
  const done = await record(process.execPath, typed.kind === "hook" ? words : [cli, ...words], {
    cwd: clone,
    env: { ...env, ...typed.env, NODE_COMPILE_CACHE: compiled },
    trace: `${root}.trace`,
    // far more than a busy machine needs, so only an endless input takes this long
    mostSeconds: ownWork.has(typed.name.split(" ")[0] ?? "") ? 240 : 60,
    input: typed.input?.(clone, random),
    until: typed.until,
    inTerminal: typed.inTerminal,
  });
  return { ...done, words, line: typed.kind === "hook" ? typed.name : `whetstone ${words.join(" ")}` };
}

const gitFolder = spawnSync("git", ["--exec-path"], { encoding: "utf8" }).stdout.trim();
const programs = new Set(
  ["/usr/bin/time", "/usr/bin/git", process.execPath].map((path) => realpathSync(path)),
);

function faultsOf(typed: Typed, place: Place, done: Done): readonly string[] {
  const { clone, state, tmp, secrets } = place;
  const command = typed.name.split(" ")[0] ?? "";
  const named = [
    ...done.words
      .flatMap((word) => [word, word.replace(/^[^=]+=/, "")])
      .map((word) => resolve(clone, word))
      .filter((path) => path !== clone),
    ...(makesHere[command] === undefined ? [] : [join(clone, makesHere[command])]),
  ];
  // a file is written under another name next to it, and then renamed
  const isNamed = (path: string): boolean =>
    named.some(
      (one) =>
        isBelow(path, one) ||
        // folders on the way there
        (isBelow(one, path) && isBelow(path, clone)) ||
        (dirname(path) === dirname(one) && path.includes(one.slice(dirname(one).length + 1))),
    );
  const isOurs = (path: string): boolean =>
    [
      state,
      tmp,
      join(clone, ".whetstone"),
      `${place.root}.trace.used`,
      join(dirname(place.root), "compiled"),
    ].some((one) => isBelow(path, one)) ||
    // folders on the way to the state folder
    isBelow(state, path) ||
    /^\/dev\/(?:null|tty)$|^\/proc\/(?:self|\d+)\/(?:task\/\d+\/)?(?:comm|oom_score_adj)$|^(?:pipe|socket|anon_inode):/.test(
      path,
    );
  // in its own terminal, its output goes there
  const isScreen = (path: string): boolean => done.words.length === 0 && /^\/dev\/pts\/\d+$/.test(path);
  const written = [...done.written].filter((path) => !isOurs(path) && !isNamed(path) && !isScreen(path));
  const started = [...done.started].filter((path) => !programs.has(path) && !isBelow(path, gitFolder));
  // the parcel office of `demo` is a server of its own
  const isOwnServer = (address: string): boolean => ownWork.has(command) && address.startsWith("127.0.0.1:");
  const reached = [...done.reached].filter((address) => address !== typedHost && !isOwnServer(address));
  const files = [tmp, join(clone, ".whetstone"), ...named]
    .flatMap(filesBelow)
    .filter((path) => !done.words.includes(path));
  const leaks = secrets.filter((secret) => done.printed.includes(secret));
  const kept = files.filter(
    (path) =>
      done.written.has(path) && secrets.some((secret) => readFileSync(path, "latin1").includes(secret)),
  );
  const isMeasured = !ownWork.has(command);
  return [
    ...written.map((path) => `wrote ${path}`),
    ...started.map((path) => `started ${path}`),
    ...reached.map((address) => `connected to ${address}`),
    ...leaks.map((secret) => `printed the secret ${secret}`),
    ...kept.map((path) => `put a secret into ${path}`),
    ...(done.isEndless ? ["did not end"] : []),
    ...(isMeasured && done.cpuSeconds > mostSeconds ? [`used ${done.cpuSeconds.toFixed(1)} s of CPU`] : []),
    ...(isMeasured && done.megabytes > mostMegabytes ? [`used ${done.megabytes.toFixed(0)} MB`] : []),
    ...(/error: (?:unknown|missing)/.test(done.printed)
      ? [`isn't typed like this: ${done.printed.slice(0, 200)}`]
      : []),
  ];
}

/** Does all that is forbidden, each in a way that a project could: gives what isn't found. */
async function findUnseen(folder: string, program: Program): Promise<readonly string[]> {
  const place = openPlace(join(folder, "place-control"), 0, true);
  const script = join(folder, "control.js");
  rmSync(join(place.clone, ".whetstone"), { recursive: true, force: true });
  symlinkSync(place.home, join(place.clone, ".whetstone"));
  writeFileSync(
    script,
    `const fs = require("node:fs");
fs.writeFileSync(".whetstone/through-a-link", "");
fs.mkdirSync("a-folder");
fs.renameSync("a-folder", process.env.HOME + "/renamed");
require("node:child_process").execFileSync("./evil.sh");
require("node:net").connect(9, "192.0.2.2").on("error", () => {});
console.log(process.env.DEPLOY_TOKEN);
setTimeout(process.exit, 300);
globalThis.kept = Buffer.alloc(600e6, 1);\n`,
  );
  const control: Typed = { name: "control", kind: "hook", words: () => [script] };
  const found = faultsOf(control, place, await run(control, place, program, () => 0)).join("\n");
  const expected = [
    "wrote .*/home/through-a-link",
    "wrote .*/clone/a-folder",
    "wrote .*/home/renamed",
    "started .*/evil.sh",
    "connected to 192.0.2.2:9",
    "printed the secret token",
    "used 6.. MB",
  ];
  return expected.filter((what) => !new RegExp(what).test(found));
}

/** Plain files, without what links lead to. */
function filesBelow(path: string): readonly string[] {
  const facts = existsSync(path) ? lstatSync(path) : undefined;
  if (facts?.isFile() === true) return facts.size < 50e6 ? [path] : [];
  return facts?.isDirectory() === true
    ? readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
    : [];
}
