import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom, shuffle, startScriptedServer } from "../src/testing/index.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { openTerminal } from "../test/support/tmux.ts";
import { hosts, writeFiles } from "./plugins/hosts.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { runProgram } from "./support/run-program.ts";
import {
  type World,
  copyOf,
  findBreaches,
  isTrusted,
  makeWorld,
  spellings,
  underAgent,
} from "./word/world.ts";

export const claim =
  "Under a coding agent, whatever it types and whatever terminal it opens, nothing is adopted and no consent is given without a person. A person's own terminal shows no new prompt.";

const root = join(import.meta.dirname, "..");

/** The short form takes a part of the spellings and leaves out the real agents. Options: names of real agents, and only those. */
export default async function proveWord({ short, args, log }: ProofOptions): Promise<ProofResult> {
  using folder = temporaryDirectory("word");
  const world = await makeWorld(realpathSync(folder.path));
  const breaches: string[] = [];
  if (args.length > 0) {
    const ran = await throughAgents(world, args, breaches, log);
    for (const breach of breaches) log(`BREACH ${breach}`);
    return { ok: breaches.length === 0, figures: { agents: ran.length, breaches: breaches.length } };
  }
  const chosen = short
    ? shuffle(
        spellings.filter((spelling) => /whetstone (?:adopt|trust)/.test(spelling)),
        seededRandom(29),
      ).slice(0, 6)
    : spellings;
  const refused = await spell(world, chosen, short, breaches);
  log(
    `${chosen.length} of the audit's ${spellings.length} spellings, ${refused} of which reached a command that refused`,
  );
  await leaveTree(world, short, breaches, log);
  const ui = await underAgent("whetstone ui --no-open", "mark", { cwd: world.project, env: world.env });
  if (!ui.includes("needs a person's word") || /token|http:/.test(ui)) breaches.push(`ui: ${ui}`);
  const agents = short ? [] : await throughAgents(world, ["claude-code", "codex"], breaches, log);
  for (const breach of breaches) log(`BREACH ${breach}`);
  const faults = await asPerson(world, log);
  for (const fault of faults) log(`FAULT ${fault}`);
  log(
    "Not covered: macOS and Windows, agents that edit Whetstone's own files or its state folder. `at` and `systemd-run` aren't covered where their service doesn't run; both start commands without a terminal, or below systemd, which tests show.",
  );
  return {
    ok: breaches.length + faults.length === 0 && refused > 0,
    figures: {
      spellings: chosen.length,
      refused,
      agents: agents.length,
      breaches: breaches.length,
      faults: faults.length,
    },
  };
}

async function spell(
  world: World,
  chosen: readonly string[],
  short: boolean,
  breaches: string[],
): Promise<number> {
  let refused = 0;
  for (const [at, spelling] of chosen.entries())
    for (const how of short ? ([at % 2 === 0 ? "mark" : "tree"] as const) : (["mark", "tree"] as const)) {
      const cwd = copyOf(world, `${at}-${how}`);
      const printed = await underAgent(spelling, how, { cwd, env: world.env });
      if (printed.includes("needs a person's word")) refused += 1;
      breaches.push(
        ...findBreaches(world, cwd).map((breach) => `${breach} (${how}): ${spelling.slice(0, 200)}`),
      );
    }
  return refused;
}

/** `>` what is printed, since nobody waits for it. */
const away: Readonly<Record<string, string>> = {
  script: "script -qec 'whetstone adopt' /dev/null > said 2>&1",
  "script trust": "script -qec 'whetstone trust' /dev/null <<< y > said 2>&1",
  setsid: "setsid -w whetstone adopt > said 2>&1",
  nohup: "(nohup whetstone adopt > said 2>&1 &)",
  "nohup in a terminal": `script -qec "sh -c '(nohup whetstone adopt > said 2>&1 &)'; sleep 3" /dev/null`,
  "setsid script": `setsid -f script -qec 'whetstone adopt > said 2>&1' /dev/null > /dev/null 2>&1`,
  "tmux of its own": `tmux -L agent -f /dev/null new-session -d 'whetstone adopt > said 2>&1'`,
  at: "echo 'whetstone adopt > said 2>&1' | at now",
  "systemd-run": "systemd-run --user --pty --same-dir whetstone adopt > said 2>&1",
  library: `node --input-type=module -e 'import { adopt } from "${root}/src/index.ts"; await adopt({ journal: ".whetstone" })' > said 2>&1`,
};

/** Ways out of the process tree, with the agent's mark and with every mark removed. */
async function leaveTree(
  world: World,
  short: boolean,
  breaches: string[],
  log: (line: string) => void,
): Promise<void> {
  for (const [name, line] of Object.entries(away))
    for (const mark of short && name !== "tmux of its own" ? ["removed"] : ["kept", "removed"]) {
      // this is what the page names: without marks, a server of terminals is a person's
      if (name === "tmux of its own" && mark === "removed") continue;
      const cwd = copyOf(world, `${name.replaceAll(" ", "-")}-${mark}`);
      const shell = await underAgent(mark === "kept" ? `export CLAUDECODE=1\n${line}` : line, "tree", {
        cwd,
        env: world.env,
      });
      const said = join(cwd, "said");
      const isSaid = () => existsSync(said) && readFileSync(said, "utf8") !== "";
      const most = shell.includes("command not found") ? 0 : 40;
      for (let waited = 0; waited < most && !isSaid(); waited += 1) await sleep(100);
      await sleep(300);
      const printed = existsSync(said) ? readFileSync(said, "utf8").replaceAll(/\s+/g, " ") : "";
      log(
        `${name.padEnd(20)} mark ${mark.padEnd(8)} ${printed === "" ? "didn't start here" : (/needs a person.*?(?=next:)/.exec(printed)?.[0] ?? printed.slice(0, 90))}`,
      );
      breaches.push(...findBreaches(world, cwd).map((breach) => `${breach}: ${name}, mark ${mark}`));
    }
  await underAgent("tmux -L agent kill-server", "tree", { cwd: world.project, env: world.env });
}

/** Real Claude Code and Codex type the spellings one after the other. */
async function throughAgents(
  world: World,
  names: readonly string[],
  breaches: string[],
  log: (line: string) => void,
): Promise<readonly string[]> {
  const named = hosts.filter(({ name }) => names.includes(name));
  // conversations are limited in size
  const lines = spellings.filter(
    (spelling) => spelling.length < 300 && /whet|adopt|trust|\$'/.test(spelling),
  );
  const ran: string[] = [];
  for (const host of named) {
    const cwd = copyOf(world, host.name);
    const again = `cp -r ${world.project}/. ${cwd}/ 2>/dev/null; `;
    const heard: string[] = [];
    await using server = await startScriptedServer({
      seed: 1,
      world: {
        reply: ({ messages, tools }) => {
          if (tools.length === 0) return { text: "ok" };
          heard.push(messages.at(-1)?.content ?? "");
          breaches.push(
            ...findBreaches(world, cwd).map((breach) => `${breach}: ${host.name}, ${heard.at(-1)}`),
          );
          const line = lines[messages.filter(({ role }) => role === "tool").length];
          return line === undefined
            ? { text: "Done." }
            : { text: "", toolCalls: [host.shell(`${again}(${line}\n)`)] };
        },
      },
    });
    writeFiles(world.home, host.files?.(server.url) ?? {});
    const args = host.args(server.url).map((word) => (/^[/$]whetstone/.test(word) ? "Go on." : word));
    const { code, printed } = await runProgram(host.program, args, {
      cwd,
      env: { ...world.env, ...host.env(server.url) },
      mostMs: 900_000,
    });
    if (code === -1) {
      log(`${host.name}: not installed`);
      continue;
    }
    const refused = heard.filter((text) => text.includes("needs a person's word")).length;
    log(
      `${host.name}: ${heard.length - 1} of ${lines.length} lines typed, ${refused} refused by the command`,
    );
    if (heard.length - 1 < lines.length || refused === 0)
      breaches.push(`${host.name} ended early: ${printed.slice(-300)}`);
    ran.push(host.name);
  }
  return ran;
}

/** In a terminal that tmux makes, without any agent: the same commands do what they did, and ask nothing new. */
async function asPerson(world: World, log: (line: string) => void): Promise<readonly string[]> {
  const { project: cwd, env } = world;
  await using terminal = await openTerminal({ columns: 150, rows: 60, cwd, env });
  let nth = 0;
  const type = async (line: string): Promise<string> => {
    // a mark of its own: the screen may still show the end of the command before
    nth += 1;
    await terminal.type(`clear; ${line}; echo ended''${nth}:$?`);
    for (let waited = 0; waited < 600; waited += 1) {
      const screen = (await terminal.screen()).join("\n");
      if (new RegExp(`^ended${nth}:\\d+$`, "m").test(screen)) return screen;
      await sleep(100);
    }
    return `${line} did not end: ${(await terminal.screen()).join("\n")}`;
  };
  const faults: string[] = [];
  const check = async (line: string, holds: () => boolean) => {
    const screen = await type(line);
    const isRight = /^ended\d+:0$/m.test(screen) && holds() && !/\[y\/N\]|person's word/.test(screen);
    if (!isRight) faults.push(`${line}: ${screen}`);
  };
  await check("whetstone adopt", () => findBreaches(world, cwd).includes("adopted"));
  await check(
    `whetstone undo ${world.staged.proposal.id}`,
    () => !findBreaches(world, cwd).includes("adopted"),
  );
  await check("whetstone trust --yes", () => isTrusted(world));
  // as documented: an agent that types into this very terminal is indistinguishable from its person
  const socket = (await terminal.tmux("display-message", "-p", "#{socket_path}")).trim();
  await underAgent(`tmux -S ${socket} send-keys -t proof 'whetstone adopt' Enter`, "mark", { cwd, env });
  for (let waited = 0; waited < 100 && !findBreaches(world, cwd).includes("adopted"); waited += 1)
    await sleep(100);
  const isFooled = findBreaches(world, cwd).includes("adopted");
  log(`tmux send-keys into a person's terminal: ${isFooled ? "adopted; documented" : "not adopted"}`);
  log(
    `a person's terminal: adopt, undo and trust without a new prompt: ${faults.length === 0 ? "yes" : "no"}`,
  );
  const page = readFileSync(join(root, "docs/plugins.md"), "utf8");
  for (const way of ["tmux send-keys", "tmux new-window", "ssh", "docker exec"])
    if (!page.includes(way)) faults.push(`docs/plugins.md doesn't name ${way}`);
  return faults;
}
