import { availableParallelism } from "node:os";
import type { Agent } from "../../core/ports/agent.ts";
import type { AgentReading } from "./agent-cli.ts";
import { type ConfiguredOptions, type ConfiguredSettings, openConfigured } from "./configured-agent.ts";
import { judgeRun } from "./judge-run.ts";
import { runOnce } from "./roll-out.ts";

export interface CommandSettings extends ConfiguredSettings {
  /** Exit codes that mean an answer. Any other is the agent's own failure, never a score. @default [0] */
  readonly exitCodes?: readonly number[];
}

/**
 * Any command as an agent. The prompt arrives on standard input, or in place of `{prompt}` in `argv`. Its output is
 * its answer, and the files it changes in the workspace are its work. It reports no events, so `toolCalls` and loaded
 * skills are empty; checks of those need an agent with events.
 */
export async function commandAgent(
  name: string,
  options: ConfiguredOptions<CommandSettings>,
): Promise<Agent> {
  const { argv, exitCodes = [0] } = options.settings;
  const configured = await openConfigured(name, options);
  const takesPrompt = argv.some((word) => word.includes("{prompt}"));
  return {
    id: configured.id,
    version: configured.version,
    parallel: availableParallelism(),
    async run(request, call) {
      const { prompt, limits } = request;
      const open = configured.open({
        stdin: (_inside, text) => (takesPrompt ? undefined : text),
        reader: { line: () => undefined, read: () => silent },
      });
      const run = await runOnce(open, { ...request, untilSkill: false }, call);
      const { exitCode, stdout, ended } = run.result;
      const isAnswer = ended === "exit" && exitCode !== null && exitCodes.includes(exitCode);
      const reading: AgentReading = isAnswer ? { ...silent, ended: "done" } : silent;
      const text = stdout.trim();
      return {
        ended: judgeRun(open.cli, { ...run, reading }, limits),
        text,
        toolCalls: [],
        changed: run.changed,
        skills: { offered: run.reading.offered, loaded: [] },
        conversation: [
          { role: "user", content: prompt },
          { role: "assistant", content: text },
        ],
        usage: run.facts.usage,
        calls: run.facts.calls,
        heldMs: Math.round(run.facts.heldMs),
        ...(run.facts.calls === 0 ? {} : { host: run.facts.host }),
      };
    },
  };
}

const silent: AgentReading = { text: "", toolCalls: [], conversation: [], offered: [], loaded: [] };
