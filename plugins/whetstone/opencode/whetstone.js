// OpenCode loads this: what is the person's to do is refused here as the hooks of other agents refuse it.
import { refuseOrFail } from "../whetstone/guard.mjs";

/** @param {{ directory: string }} project */
export const Whetstone = async ({ directory }) => ({
  /** @param {{ tool: string }} used @param {{ args: Record<string, unknown> }} call */
  "tool.execute.before": async ({ tool }, { args }) => {
    const reason = refuseOrFail({ cwd: directory, tool_name: tool, tool_input: args });
    if (reason !== undefined) throw new Error(reason);
  },
});
