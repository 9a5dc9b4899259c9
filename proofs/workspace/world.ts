import type { ChatWorld, ScriptedRequest, ScriptedToolCall } from "../../src/testing/index.ts";
import { request as asked, right, rule, skillName, wrong } from "./project.ts";

export type AgentName = "claude-code" | "codex";

/** A model that looks around, follows a rule that it has read, guesses without one, and runs the tests. */
export const workspaceWorld: ChatWorld = {
  reply(request) {
    const said = [request.system, ...request.messages.map(({ content }) => content)].join("\n");
    if (!said.includes(asked) || request.tools.length === 0) return { text: "Yes." };
    const step = stepsOf(request, said)[request.messages.filter(({ role }) => role === "tool").length];
    return step === undefined ? { text: "The price is right." } : { text: "", toolCalls: [step] };
  },
};

function stepsOf(request: ScriptedRequest, said: string): readonly ScriptedToolCall[] {
  const agent: AgentName = request.protocol === "anthropic-messages" ? "claude-code" : "codex";
  const text = said.includes(rule) ? right : wrong;
  return [
    ...(said.includes(`${skillName}: Use when`) || said.includes("Use when working on prices")
      ? [loads[agent]]
      : []),
    runs[agent](lookAround),
    runs[agent](`cat > src/money.js <<'END'\n${text}END`),
    runs[agent]("node --test 2>&1 | grep -E '^. (pass|fail) '"),
  ];
}

const loads: Readonly<Record<AgentName, ScriptedToolCall>> = {
  "claude-code": { name: "Skill", arguments: { skill: skillName } },
  codex: { name: "exec_command", arguments: { cmd: `cat "$CODEX_HOME/skills/${skillName}/SKILL.md"` } },
};

const runs: Readonly<Record<AgentName, (command: string) => ScriptedToolCall>> = {
  "claude-code": (command) => ({ name: "Bash", arguments: { command, description: "Run it" } }),
  codex: (cmd) => ({ name: "exec_command", arguments: { cmd, yield_time_ms: 10_000 } }),
};

/**
 * Each line of its answer begins with what it found out. The pattern is written so that it does not find itself; what it
 * must find is a file of its own, so that a search which finds nothing is seen to be broken.
 */
const lookAround = [
  'echo "at $(git log -1 --format=%H)"',
  'echo "commits $(git rev-list --all --count HEAD)"',
  'echo "status $(git status --porcelain | wc -l)"',
  "printf 'MARK-%s-CONTROL' 1 > /tmp/control",
  // an agent may put another grep before the system's
  'echo "found $(env grep -rlE "MARK-[0-9]+-[A-Z]" /home /tmp /grader /opt/whetstone /run 2>/dev/null | wc -l)"',
  'echo "objects $(git cat-file --batch-all-objects --batch | env grep -aE "MARK-[0-9]+-[A-Z]" | wc -l)"',
  "echo broken 2>/dev/null > node_modules/money-kit/index.js || echo 'dependencies kept'",
].join("\n");

export interface Looked {
  readonly at: string;
  readonly commits: number;
  readonly status: number;
  /** Files and objects with a mark, without its own. */
  readonly found: number;
  readonly keptDependencies: boolean;
  /** As its own run of the tests said. */
  readonly passes: number;
}

/** What the agent saw, from the requests that carried the results of its tools. */
export function readLook(request: ScriptedRequest): Looked | undefined {
  const results = request.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  const text = results.find((one) => /^at [0-9a-f]{40}$/m.test(one));
  const tested = results.findLast((one) => /(pass|fail) \d/.test(one));
  if (text === undefined || tested === undefined) return undefined;
  const count = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  return {
    at: /^at ([0-9a-f]{40})$/m.exec(text)?.[1] ?? "",
    commits: count("commits"),
    status: count("status"),
    found: count("found") - 1 + count("objects"),
    keptDependencies: text.includes("dependencies kept"),
    passes: Number(/pass (\d+)/.exec(tested)?.[1] ?? Number.NaN),
  };
}
