import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { projectState } from "../test/support/project-state.ts";
import { type ScriptedReply, type ScriptedServer, startScriptedServer } from "../src/testing/index.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { type Host, hosts, writeFiles } from "./plugins/hosts.ts";
import { endClaude, remindClaude } from "./plugins/remind.ts";
import { claudeFindings, cursorProblems } from "./plugins/validate.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { type GeminiServer, startGeminiServer } from "./sources/gemini-server.ts";
import { runCli } from "./support/run-cli.ts";
import { runProgram, whetstoneOnPath } from "./support/run-program.ts";

export const claim =
  "In the real Claude Code, Codex, Copilot CLI, Gemini CLI, OpenCode and pi, `whetstone plugin install` installs the plugin. It's listed, runs one command, is kept from adopting, and is gone after `whetstone plugin uninstall`. In the real Claude Code, adopted reminders stop at least 95% of relapses and at most 0.5% of other calls. A conversation that ends without a required command is stopped once, and none once the plugin is gone. Validators find nothing.";

const root = join(import.meta.dirname, "..");

/** Options: the names of agents, instead of all. The short form leaves out those that take longest to start. */
export default async function provePlugins({ short, args, log }: ProofOptions): Promise<ProofResult> {
  using folder = temporaryDirectory("plugins");
  const home = realpathSync(folder.path);
  const isChosen = ({ name, isSlow = false }: Host) =>
    args.length > 0 ? args.includes(name) : !(short && isSlow);
  const agents = await Promise.all(hosts.filter(isChosen).map((host) => prepare(host, home)));
  try {
    return await install(agents, home, { log, others: short ? 100 : 2000 });
  } finally {
    for (const { server } of agents) await server[Symbol.asyncDispose]();
  }
}

/** One agent, its server, and all that was said to it. */
interface Agent {
  readonly host: Host;
  readonly server: ScriptedServer | GeminiServer;
  readonly said: string[];
}

async function prepare(host: Host, home: string): Promise<Agent> {
  const said: string[] = [];
  const next = (results: number): ScriptedReply => {
    const line = ["whetstone runs", "whetstone adopt"][results];
    return line === undefined ? { text: "That is all." } : { text: "", toolCalls: [host.shell(line)] };
  };
  let results = 0;
  const server = host.isGemini
    ? await startGeminiServer((last, isTool, hasTools) => {
        said.push(last);
        if (!hasTools) return { text: "status" };
        if (isTool) results += 1;
        return next(results);
      })
    : await startScriptedServer({
        seed: 1,
        world: {
          reply: ({ system, messages, tools }) => {
            said.push(system ?? "", ...messages.map(({ content }) => content));
            if (tools.length === 0) return { text: "status" };
            return next(messages.filter(({ role }) => role === "tool").length);
          },
        },
      });
  writeFiles(home, host.files?.(server.url) ?? {});
  return { host, server, said };
}

async function install(
  agents: readonly Agent[],
  home: string,
  { log, others }: { readonly log: (line: string) => void; readonly others: number },
): Promise<ProofResult> {
  const projectOf = ({ name }: Host): string => join(home, "projects", name);
  // as if somebody had opted in: so the start shows what's waiting, and the end is marked
  for (const { host } of agents) {
    mkdirSync(projectOf(host), { recursive: true });
    writeFiles(sleepFolder(projectOf(host), home), {
      "consent.json": "{}",
      "waiting.json": JSON.stringify({ v: 1, rules: 3, working: 2 }),
    });
  }
  writeFiles(home, {
    // Codex's shell is a login shell
    ".bash_profile": `PATH=${join(home, "bin")}:$PATH\n`,
  });
  const env = {
    PATH: whetstoneOnPath(home),
    HOME: home,
    LANG: "C.UTF-8",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    ...Object.assign({}, ...agents.map(({ host, server }) => host.env(server.url))),
  } as Readonly<Record<string, string>>;
  const whetstone = (...args: readonly string[]) => runCli(args, { cwd: home, env });
  const before = new Set(filesIn(home));
  const each = <Row>(work: (agent: Agent) => Promise<Row>) => Promise.all(agents.map(work));

  const installed = await each(({ host }) => whetstone("plugin", "install", host.name));
  const listed = await whetstone("plugin", "list", "--json");
  const states = JSON.parse(listed.printed) as readonly {
    readonly agent: string;
    readonly version?: string;
  }[];
  const ran = await each(({ host, server }) =>
    runProgram(host.program, host.args(server.url), { cwd: projectOf(host), env }),
  );
  const isClaude = agents.some(({ host }) => host.name === "claude-code");
  const reminded = isClaude ? await remindClaude(home, env, { relapses: 45, others }) : undefined;
  const ended = isClaude ? await endClaude(home, env) : undefined;
  const validated = await validate(home, env);
  const removed = await each(({ host }) => whetstone("plugin", "uninstall", host.name));
  const afterwards = isClaude ? await remindClaude(home, env, { relapses: 6, others: 0 }) : undefined;
  const endedAfterwards = isClaude ? await endClaude(home, env) : undefined;
  const left = filesIn(home).filter(
    (path) => !before.has(path) && !/^(?:projects|stubs)\//.test(path) && !path.endsWith("/reminders.md"),
  );

  const rows = agents.map(({ host, said }, at) => {
    const heard = said.join("\n");
    const wrong = [
      ...(installed[at]?.code === 0 ? [] : [`install: ${installed[at]?.printed}`]),
      ...(states.find(({ agent }) => agent === host.name)?.version === undefined ? ["not listed"] : []),
      ...(ran[at]?.code === 0 ? [] : [`exit ${ran[at]?.code}: ${ran[at]?.printed.slice(-600)}`]),
      ...(heard.includes(host.told) ? [] : ["its model didn't hear about the plugin"]),
      ...(heard.includes(noRuns) ? [] : [`\`whetstone runs\` didn't answer: ${said.at(-2)?.slice(0, 300)}`]),
      ...(heard.includes(host.rule ?? notYours) ? [] : ["`whetstone adopt` wasn't refused"]),
      ...(ran[at]?.printed.includes(host.line ?? "") === true ? [] : ["no line at the start"]),
      ...(isMarked(projectOf(host), home) === host.marks ? [] : [`a marker at the end: ${!host.marks}`]),
      ...warningsIn(`${installed[at]?.printed}\n${ran[at]?.printed}\n${removed[at]?.printed}`),
      ...(removed[at]?.code === 0 ? [] : [`uninstall: ${removed[at]?.printed}`]),
    ];
    return { name: host.name, wrong };
  });
  for (const { name, wrong } of rows) {
    log(
      `${name.padEnd(12)} ${wrong.length === 0 ? "installed, listed, one command run, adopt refused, uninstalled" : "WRONG"}`,
    );
    for (const line of wrong) log(`    ${line}`);
  }
  const ours = left.filter(
    (path) => !hosts.some(({ keeps }) => keeps.test(path)) && isAboutUs(join(home, path)),
  );
  log(`after uninstall, files that the agents keep for themselves: ${foldersOf(left).join(", ")}`);
  if (reminded !== undefined && afterwards !== undefined)
    log(
      `reminders in Claude Code stopped ${reminded.stopped} of ${reminded.relapses} relapses and ${reminded.wrong} of ${reminded.others} other calls; after uninstall ${afterwards.stopped} of ${afterwards.relapses}`,
    );
  if (ended !== undefined && endedAfterwards !== undefined)
    log(
      `conversations that ended without the command: ${ended.missing}, stopped ${ended.told} times; others: ${ended.others}, stopped ${ended.wrong} times; after uninstall stopped ${endedAfterwards.told} times`,
    );
  for (const path of ours) log(`    LEFT OF OURS: ${path}`);
  for (const line of validated.findings) log(`validator: ${line}`);
  log(
    `validators: ${validated.findings.length} findings; advice that needs a public address: ${validated.advice}`,
  );
  log(
    `Not covered: ${agents.length < hosts.length ? `${hosts.length - agents.length} agents in this form, ` : ""}models that decide for themselves, the windows of these programs, Cursor (its files are checked against its schema; it doesn't start here), Windows and macOS, and plugin directories.`,
  );
  const wrong = rows.reduce((sum, row) => sum + row.wrong.length, 0);
  const isReminding =
    reminded === undefined ||
    (reminded.stopped >= 0.95 * reminded.relapses &&
      reminded.wrong <= 0.005 * reminded.others &&
      afterwards?.stopped === 0 &&
      ended?.told === ended?.missing &&
      ended?.wrong === 0 &&
      endedAfterwards?.told === 0);
  return {
    ok: wrong + ours.length + validated.findings.length === 0 && isReminding,
    figures: {
      agents: rows.length,
      wrong,
      left: ours.length,
      findings: validated.findings.length,
      ...(reminded === undefined
        ? {}
        : {
            relapses: reminded.relapses,
            stopped: reminded.stopped,
            others: reminded.others,
            stoppedWrongly: reminded.wrong,
            endedWithout: ended?.missing ?? 0,
            told: ended?.told ?? 0,
            toldWrongly: ended?.wrong ?? 0,
          }),
    },
  };
}

/** The output of `whetstone runs` in a folder without runs, and of `whetstone adopt` under an agent. */
const [noRuns, notYours] = ["No journal found", "needs a person's word, and"];

async function validate(cwd: string, env: Readonly<Record<string, string>>) {
  const check = (...args: readonly string[]) =>
    runProgram("claude", ["plugin", "validate", ...args, "--strict", "--json"], { cwd, env });
  const checked = await Promise.all([
    check(root),
    check(join(root, "plugins/whetstone"), "--profile", "directory"),
  ]);
  const read = checked.map(({ printed }) => claudeFindings(printed));
  return {
    findings: [...read.flatMap(({ findings }) => findings), ...cursorProblems(root)],
    advice: new Set(read.flatMap(({ advice }) => advice.map((line) => line.split(". ")[0]))).size,
  };
}

/** Their warnings about this setup: a home below /tmp, hooks that nobody reviewed, our own model, no terminal. */
const ofThisStart = /under temporary dir|bypass-hook-trust|Model metadata|256-color/;

const warningsIn = (printed: string): readonly string[] =>
  printed
    .split("\n")
    .filter((line) => /\b(?:warn(?:ing)?|deprecated|invalid)\b/i.test(line) && !ofThisStart.test(line));

const sleepFolder = (project: string, home: string): string => join(projectState(project, home), "sleep");

const isMarked = (project: string, home: string): boolean =>
  existsSync(join(sleepFolder(project, home), "ended"));

const filesIn = (home: string): readonly string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.cache/copilot/"))
    .map((entry) => relative(home, join(entry.parentPath, entry.name)));

const isAboutUs = (file: string): boolean =>
  /whetstone/i.test(file.slice(file.lastIndexOf("/"))) ||
  (statSync(file).size < 1_000_000 && /whetstone@|plugins\/whetstone/.test(readFileSync(file, "utf8")));

const foldersOf = (files: readonly string[]): readonly string[] =>
  [...Map.groupBy(files, (path) => path.split("/")[0] ?? "")].map(
    ([folder, inside]) => `${folder} (${inside.length})`,
  );
