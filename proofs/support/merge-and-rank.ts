import { type ScriptedReply, type ScriptedRequest, hiddenRuleWorld } from "../../src/testing/index.ts";

const office = hiddenRuleWorld({ seed: 1 });

/** Merges and ranks edits as the optimizer of the hidden-rule world does: those that more tasks asked for come first. */
export function mergeOrRank(request: ScriptedRequest): ScriptedReply | undefined {
  if (!/^Contract: *(?:merge_\w+|ranking)$/m.test(request.system)) return undefined;
  return office.reply({ ...request, model: "optimizer" });
}
