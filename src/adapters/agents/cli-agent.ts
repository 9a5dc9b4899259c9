import { availableParallelism, freemem } from "node:os";
import type { Agent } from "../../core/ports/agent.ts";
import { judgeRun } from "./judge-run.ts";
import type { OpenCli } from "./open-cli.ts";
import { runCli } from "./run-cli.ts";

/** An installed agent CLI as a target: one fresh workspace for each rollout, in the sandbox. */
export function cliAgent(open: OpenCli): Agent {
  const { cli, found, options } = open;
  return {
    id: `${cli.name}/${options.model}`,
    version: found.version,
    parallel: Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / memoryEach))),
    async run(request, { key, signal, meter }) {
      const { prompt, files, skills, instructions, limits, untilSkill = false } = request;
      const task = {
        prompt,
        skills,
        toolless: false,
        turns: limits.turns,
        ...(instructions === undefined ? {} : { instructions }),
      };
      const run = await runCli(open, { task, files, limits, meter, key, signal, untilSkill });
      const { reading, facts, changed } = run;
      if (run.stopped === undefined && facts.stopped === undefined) signal.throwIfAborted();
      return {
        ended: judgeRun(cli, run, limits),
        text: reading.text,
        toolCalls: reading.toolCalls,
        changed,
        skills: { offered: reading.offered, loaded: reading.loaded },
        conversation: [{ role: "user", content: prompt }, ...reading.conversation],
        usage: facts.usage,
        calls: facts.calls,
      };
    },
  };
}

/** What a rollout takes, roughly: the CLI itself and the tools that it runs. */
const memoryEach = 500 * 1024 * 1024;
