import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { makeSleepProject, remembered } from "../../test/support/commit-project.ts";
import { servedWorld, ticketRule } from "../../test/support/commit-world.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type HelperTalk, claudeWorld, helperTalks } from "./claude-world.ts";

export interface NightInClaude {
  readonly version: string;
  readonly rounds: number;
  readonly questions: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

const [mostRounds, mostQuestions] = [3, 15];
const plugin = join(import.meta.dirname, "../../plugins/whetstone");
const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");

/**
 * The real Claude Code with the plugin, told `/whetstone:night by hand`: its model is a script that does what the command's
 * text says and tries to adopt in the end. Undefined where it is not installed.
 */
export async function nightInClaude(seed: number): Promise<NightInClaude | undefined> {
  using place = temporaryDirectory("handoff-claude");
  const project = await makeSleepProject({ folder: place.path, conversations: 10, config: { seed } });
  const { path, home, journalDir } = project;
  const bin = join(place.path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "whetstone"), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`);
  chmodSync(join(bin, "whetstone"), 0o755);
  const answers = servedWorld({ seed, judged: true, luck: 0.4, wording: ticketRule });
  await using server = await startScriptedServer({ seed, world: claudeWorld(path, answers) });
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
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
  const talk = await runClaude(
    [
      ...["-p", "/whetstone:night by hand", "--plugin-dir", plugin, "--model", "claude-sonnet-4-5"],
      ...["--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"],
      ...["--allowedTools", "Bash(whetstone:*)", "Bash(rm:*)"],
    ],
    path,
    env,
  );
  if (talk === undefined) return undefined;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const helpers = helperTalks(server.calls.map(({ request }) => request));
  const results = server.calls.map(({ request }) =>
    request.messages.map(({ content }) => content).join("\n"),
  );
  const rounds = talk.runs - 1;
  const refused = results.some((text) => text.includes("this is the person's to say"));
  const guarded = results.some((text) => text.includes("Whetstone's own record"));
  const { proposals, state, memory } = remembered(project);
  const ended = join(journalDir, "sleep/ended");
  const problems = [
    ...(talk.code === 0 ? [] : [`claude ends with 0, not ${talk.code}: ${talk.printed.slice(-600)}`]),
    ...(proposals.length === 1 && state?.nights.length === 1
      ? []
      : [`one proposal, not ${proposals.length}`]),
    ...(rounds >= 1 && rounds <= mostRounds ? [] : [`at most ${mostRounds} rounds, not ${rounds}`]),
    ...(helpers.length >= 1 && helpers.length <= mostQuestions
      ? []
      : [`at most ${mostQuestions} questions, not ${helpers.length}`]),
    ...sharedContexts(helpers),
    ...(refused ? [] : ["`whetstone sleep adopt` by the agent was not refused"]),
    ...(guarded ? [] : ["an edit in .whetstone by the agent was not refused"]),
    ...(memory.includes(ticketRule) ? ["the live file was changed"] : []),
    ...(existsSync(ended) && readFileSync(ended, "utf8").trim().split("\n").length === 1
      ? []
      : ["the end of the conversation left no marker"]),
  ];
  return { version: talk.version, rounds, questions: helpers.length, seconds, problems };
}

/** A helper that was asked twice, or that saw anything of another one's question. */
function sharedContexts(helpers: readonly HelperTalk[]): readonly string[] {
  const twice = helpers.filter(({ files }) => files.length !== 1);
  const seen = helpers.flatMap((helper) =>
    helpers.filter(
      (other) =>
        other !== helper &&
        [other.question, ...other.files].some((text) => helper.requests.some((one) => one.includes(text))),
    ),
  );
  const unread = helpers.filter(({ question }) => question.length < 100);
  return [
    ...(twice.length === 0 ? [] : [`${twice.length} helpers were asked more than one question`]),
    ...(seen.length === 0 ? [] : [`${seen.length} questions stand in another helper's context`]),
    ...(unread.length === 0 ? [] : [`${unread.length} helpers did not read their question`]),
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
