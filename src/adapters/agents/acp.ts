import { availableParallelism } from "node:os";
import type { Agent } from "../../core/ports/agent.ts";
import { loadPeer } from "../load-peer.ts";
import { acpSession } from "./acp-session.ts";
import { type ConfiguredOptions, openConfigured } from "./configured-agent.ts";
import { rollOut } from "./roll-out.ts";

/**
 * Any agent that supports the Agent Client Protocol on standard input and output. Permissions are granted, because
 * the sandbox is the limit. It isn't offered our files or terminals: it uses its own tools, inside.
 */
export async function acpAgent(name: string, options: ConfiguredOptions): Promise<Agent> {
  const sdk = await loadPeer<typeof import("@agentclientprotocol/sdk")>("@agentclientprotocol/sdk");
  const configured = await openConfigured(name, options);
  return {
    id: configured.id,
    version: configured.version,
    parallel: availableParallelism(),
    async run(request, call) {
      using session = acpSession(sdk, request.skills);
      const open = configured.open({
        stdin: (inside, text) => session.start(inside.workspace, text),
        reader: session.reader,
      });
      // an agent that keeps running after its input ended is stopped
      return await rollOut(open, request, call, AbortSignal.any([call.signal, session.over]));
    },
  };
}
