import { type ScriptedReply, type ScriptedRequest, hiddenRuleWorld } from "../../src/testing/index.ts";

const office = hiddenRuleWorld({ seed: 1 });

/**
 * Answers the same in every world, as the optimizer of the hidden-rule world does: edits that more tasks asked for come first,
 * and no rule asks for powers.
 */
export function usualReply(request: ScriptedRequest): ScriptedReply | undefined {
  if (!/^Contract: *(?:merge_\w+|ranking|powers)$/m.test(request.system)) return undefined;
  return office.reply({ ...request, model: "optimizer" });
}
