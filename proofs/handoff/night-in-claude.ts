import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { makeSleepProject, remembered } from "../../test/support/commit-project.ts";
import { servedWorld, ticketRule } from "../../test/support/commit-world.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { programsOnly } from "../support/sleep-command.ts";
import { type HelperTalk, claudeWorld, helperTalks } from "./claude-world.ts";

export interface NightInClaudeOptions {
  readonly seed: number;
  readonly conversations: number;
  /** Every rollout is asked for too: only then are there arms. */
  readonly all?: boolean;
}

export interface NightInClaude {
  readonly version: string;
  readonly rounds: number;
  readonly questions: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

const plugin = join(import.meta.dirname, "../../plugins/whetstone");
const flags = [
  ..."--model claude-sonnet-4-5 --output-format stream-json --verbose --permission-mode acceptEdits".split(
    " ",
  ),
  "--allowedTools",
  "Bash(whetstone:*)",
  "Bash(rm:*)",
];
const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");

/**
 * The real Claude Code with the plugin, told `/whetstone:night by hand`: its model is a script that does what the command's
 * text says and tries to adopt in the end. Undefined where it is not installed.
 */
export async function nightInClaude(options: NightInClaudeOptions): Promise<NightInClaude | undefined> {
  const { seed, conversations, all = false } = options;
  using place = temporaryDirectory("handoff-claude");
  const project = await makeSleepProject({ folder: place.path, conversations, config: { seed } });
  const { path, home, journalDir } = project;
  const bin = join(place.path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "whetstone"), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`);
  chmodSync(join(bin, "whetstone"), 0o755);
  const answers = servedWorld({ seed, judged: true, luck: 0.4, ...(all ? {} : { wording: ticketRule }) });
  await using server = await startScriptedServer({ seed, world: claudeWorld(answers) });
  const programs = programsOnly();
  const env = {
    ...programs,
    PATH: `${bin}:${programs["PATH"]}`,
    HOME: home,
    TMPDIR: place.path,
    NO_COLOR: "1",
    ANTHROPIC_API_KEY: "sk-ant-none",
    ANTHROPIC_BASE_URL: server.url,
    CLAUDE_CODE_MAX_RETRIES: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  };
  const started = performance.now();
  const prompt = `/whetstone:night ${all ? "all of it by hand, please" : "by hand"}`;
  // as a person allows it who is asked once
  const handoff = join(journalDir, "handoff");
  mkdirSync(handoff, { mode: 0o700 });
  const args = ["-p", prompt, "--plugin-dir", plugin, "--add-dir", handoff, ...flags];
  const talk = await runClaude(args, path, env);
  if (talk === undefined) return undefined;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const helpers = helperTalks(server.calls.map(({ request }) => request));
  const results = server.calls.map(({ request }) =>
    request.messages.map(({ content }) => content).join("\n"),
  );
  const rounds = talk.runs - 1;
  const refused = results.some((text) => text.includes("needs a person's word"));
  const { proposals, state, memory } = remembered(project);
  const ended = join(journalDir, "sleep/ended");
  const problems = [
    ...(talk.code === 0 ? [] : [`claude ends with 0, not ${talk.code}: ${talk.printed.slice(-600)}`]),
    ...(proposals.length === 1 && state?.nights.length === 1
      ? []
      : [`one proposal, not ${proposals.length}`]),
    ...(rounds > 0 ? [] : ["nothing was asked"]),
    ...sharedContexts(helpers, all),
    ...(refused ? [] : ["`whetstone adopt` by the agent was not refused"]),
    ...(memory.includes(ticketRule) ? ["the live file was changed"] : []),
    ...(existsSync(ended) && readFileSync(ended, "utf8").trim().split("\n").length === 1
      ? []
      : ["the end of the conversation left no marker"]),
  ];
  return { version: talk.version, rounds, questions: helpers.length, seconds, problems };
}

/** Helpers that saw anything of another question; of a question without the rule, none may have seen the arm with it. */
function sharedContexts(helpers: readonly HelperTalk[], hasArms: boolean): readonly string[] {
  const nosy = helpers.filter(({ keys }) => keys.length !== 1);
  const without = helpers.filter(({ question }) => question !== "" && !question.includes(ticketRule));
  const told = without.filter(({ requests }) => requests.some((text) => text.includes(ticketRule)));
  const unread = helpers.filter(({ question, keys }) => !question.includes(`===== ${keys[0]} end =====`));
  return [
    ...(nosy.length === 0 ? [] : [`${nosy.length} helpers saw more than one question`]),
    ...(told.length === 0 ? [] : [`${told.length} helpers saw the other arm`]),
    ...(unread.length === 0 ? [] : [`${unread.length} helpers did not read their question to its end`]),
    ...(hasArms && without.length === helpers.length
      ? ["no question had the rule: there was only one arm"]
      : []),
  ];
}

interface ClaudeTalk {
  readonly code: number | null;
  readonly printed: string;
  readonly version: string;
  /** How often a night was run. */
  readonly runs: number;
}

function runClaude(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<ClaudeTalk | undefined> {
  const child = spawn("claude", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  return new Promise((resolve) => {
    child.once("error", () => resolve(undefined));
    child.once("close", (code) =>
      resolve({
        code,
        printed,
        version: /"claude_code_version":"([^"]+)"/.exec(printed)?.[1] ?? "",
        runs: [...printed.matchAll(/"command":"whetstone sleep run /g)].length,
      }),
    );
  });
}
