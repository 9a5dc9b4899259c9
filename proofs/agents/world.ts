import type { InstalledSkill } from "../../src/ports.ts";
import type { ChatWorld, ScriptedReply, ScriptedRequest, ScriptedToolCall } from "../../src/testing/index.ts";

/** What the model is up to: the task, the same command for ever, a file that nobody may write, a command of minutes. */
export type Script = "edit" | "loop" | "write-outside" | "sleep";

export const skillName = "release-notes";
/** Stands in the skill alone: who did not read it cannot write it. */
const mark = "CHANNEL-7731";

export const skill: InstalledSkill = {
  name: skillName,
  files: {
    "SKILL.md": `---\nname: ${skillName}\ndescription: Use when editing release notes.\n---\n\nEvery note ends with its channel, ${mark}.\n`,
  },
  executable: [],
};

export const task = {
  prompt: "Add the channel to notes.md.",
  files: { "notes.md": "Fixed the clock. TODO\n" },
};

/** The verifier: the file is exactly as the skill says. */
export const verify = (changed: Readonly<Record<string, string | null>>): boolean =>
  changed["notes.md"] === `Fixed the clock. ${mark}\n`;

/** The seconds that the long tool sleeps, other ones for each agent: so it is found among all processes. */
export const sleepMark = (agent: string): string => `300.7731${agent.length}9`;

/**
 * A model that follows a skill which it has read, and guesses without one. `scriptOf` tells from a request's key
 * which run it belongs to.
 */
export function agentWorld(
  scriptOf: (key: string) => { readonly agent: string; readonly script: Script },
): ChatWorld {
  return {
    reply(request) {
      const { agent, script } = scriptOf(request.key);
      const results = request.messages.filter(({ role }) => role === "tool").length;
      const step = stepsOf(agent, script, request)[results];
      return step === undefined ? done : { text: "", toolCalls: [step] };
    },
  };
}

const done: ScriptedReply = { text: "The notes are ready." };

function stepsOf(agent: string, script: Script, request: ScriptedRequest): readonly ScriptedToolCall[] {
  const hands = handsOf(agent);
  if (script === "loop") return Array.from({ length: 50 }, () => hands.run("echo again"));
  // a shell around it, because claude refuses a plain one
  if (script === "sleep") return [hands.run(`sh -c 'sleep ${sleepMark(agent)}; true'`)];
  const said = [request.system, ...request.messages.map(({ content }) => content)].join("\n");
  const load = said.includes(skillName) ? [hands.load] : [];
  if (script === "write-outside") return [...load, hands.run(`echo ${mark} > /usr/notes.md`)];
  return [...load, ...hands.edit(said.includes(mark) ? mark : "no channel")];
}

/** How each agent's own tools are called. */
interface Hands {
  readonly load: ScriptedToolCall;
  readonly edit: (word: string) => readonly ScriptedToolCall[];
  readonly run: (command: string) => ScriptedToolCall;
}

const file = "/home/dev/project/notes.md";

function handsOf(agent: string): Hands {
  const call = (name: string, input: ScriptedToolCall["arguments"]): ScriptedToolCall => ({
    name,
    arguments: input,
  });
  switch (agent) {
    case "claude-code":
      return {
        load: call("Skill", { skill: skillName }),
        edit: (word) => [
          call("Read", { file_path: file }),
          call("Edit", { file_path: file, old_string: "TODO", new_string: word }),
        ],
        run: (command) => call("Bash", { command, description: "Run it", timeout: 600_000 }),
      };
    case "codex":
      return {
        load: call("exec_command", { cmd: `cat "$CODEX_HOME/skills/${skillName}/SKILL.md"` }),
        edit: (word) => [call("exec_command", { cmd: `sed -i 's/TODO/${word}/' notes.md` })],
        run: (command) => call("exec_command", { cmd: command, yield_time_ms: 30_000 }),
      };
    case "opencode":
      return {
        load: call("skill", { name: skillName }),
        edit: (word) => [
          call("read", { filePath: file }),
          call("edit", { filePath: file, oldString: "TODO", newString: word }),
        ],
        run: (command) => call("bash", { command, description: "Run it", timeout: 600_000 }),
      };
    default:
      return {
        load: call("read", { path: `/home/dev/.pi/agent/skills/${skillName}/SKILL.md` }),
        edit: (word) => [call("edit", { path: file, edits: [{ oldText: "TODO", newText: word }] })],
        run: (command) => call("bash", { command, timeout: 600 }),
      };
  }
}
