import { z } from "zod";
import { diff } from "../../../run/offer/proposals.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { ruleIds, idArgument } from "../arguments.ts";
import { line, printable } from "../printable.ts";
import { defineTool, reads } from "../tool.ts";

export const choiceInput = {
  accept: ruleIds.optional().describe("only these rules; this part isn't tested by itself"),
  drop: ruleIds.optional().describe("all rules but these"),
};

export const diffTool = defineTool({
  title: "What adopting would change",
  description:
    "Shows the change that a training or a night proposes, with its verdict, the evidence for each rule, and new powers that it would give an agent. Show it to the person before you talk about adopting. Read-only.",
  input: z.strictObject({ run: idArgument.optional(), ...choiceInput }),
  output: z.strictObject({
    run: z.string(),
    verdict: z.string(),
    proven: z.boolean(),
    reason: z.string(),
    file: z.string(),
    live: z.enum(["ready", "adopted", "changed"]).describe("the state of the live files"),
    powers: z.array(z.string()),
    diff: z.string(),
  }),
  kind: "looks",
  annotations: reads,
  async call({ run, accept, drop }, call) {
    const found = await diff({ ...(await call.project()), run, accept, drop });
    const { proposal, live, state, powers, lines } = found;
    return {
      text: lines.join("\n"),
      data: {
        run: proposal.run,
        verdict: proposal.verdict,
        proven: proposal.proven,
        reason: line(proposal.reason, 1000),
        file: line(shownFrom(call.cwd)(live.path), 1000),
        live: state.kind,
        powers: powers.slice(0, 20).map(({ id, kind, item }) => line(`${id} ${kind}: ${item}`)),
        diff: printable(found.diff, 16_000),
      },
    };
  },
});
