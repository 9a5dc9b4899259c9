import { availableParallelism } from "node:os";
import type { Agent } from "../../core/ports/agent.ts";
import { loadPeer } from "../load-peer.ts";
import { acpSession } from "./acp-session.ts";
import { type ConfiguredOptions, openConfigured } from "./configured-agent.ts";
import { judgeRun } from "./judge-run.ts";
import { runCli } from "./run-cli.ts";

/**
 * Any agent that speaks the Agent Client Protocol on its standard input and output. Permissions are granted: the box is
 * the limit. It is offered neither our files nor our terminals: it works with its own tools, inside.
 */
export async function acpAgent(name: string, options: ConfiguredOptions): Promise<Agent> {
  const sdk = await loadPeer<typeof import("@agentclientprotocol/sdk")>("@agentclientprotocol/sdk");
  const configured = await openConfigured(name, options);
  return {
    id: configured.id,
    version: configured.version,
    parallel: availableParallelism(),
    async run(request, { key, signal, meter }) {
      const { prompt, files, skills, instructions, limits, untilSkill = false } = request;
      using session = acpSession(sdk, skills);
      const open = configured.open({
        stdin: (inside, text) => session.start(inside.workspace, text),
        reader: session.reader,
      });
      const task = {
        prompt,
        skills,
        toolless: false,
        turns: limits.turns,
        ...(instructions === undefined ? {} : { instructions }),
      };
      // an agent that stays although its input has ended is ended
      const until = AbortSignal.any([signal, session.over]);
      const run = await runCli(open, { task, files, limits, meter, key, signal: until, untilSkill });
      if (run.stopped === undefined && run.facts.stopped === undefined) signal.throwIfAborted();
      const { reading, facts } = run;
      return {
        ended: judgeRun(open.cli, run, limits),
        text: reading.text,
        toolCalls: reading.toolCalls,
        changed: run.changed,
        skills: { offered: reading.offered, loaded: reading.loaded },
        conversation: [{ role: "user", content: prompt }, ...reading.conversation],
        usage: facts.usage,
        calls: facts.calls,
      };
    },
  };
}
