// pi loads this: what is the person's to do is refused here as the hooks of other agents refuse it.
import { refuseOrFail } from "../hooks/guard.mjs";

/** @param {{ on(event: "tool_call", handle: (event: { toolName: string, input: Record<string, unknown> }, context: { cwd: string }) => unknown): void }} pi */
export default function whetstone(pi) {
  pi.on("tool_call", ({ toolName, input }, { cwd }) => {
    const reason = refuseOrFail({ cwd, tool_name: toolName, tool_input: input });
    return reason === undefined ? undefined : { block: true, reason };
  });
}
