import type { JsonObject } from "../core/json.ts";
import type { Edit } from "../core/skill/edit.ts";
import type { HiddenOffice } from "./hidden-rule-office.ts";
import { propose } from "./hidden-rule-proposal.ts";
import {
  type ContractReply,
  type PooledEdit,
  type ProposalShares,
  type OptimizerQuestion,
  budgetOf,
  readEdits,
  readPool,
  readQuestion,
  readTrajectories,
} from "./hidden-rule-question.ts";
import {
  repairAnchors,
  rewriteOnce,
  answerCarries,
  answerEditor,
  writeGuidance,
  writeMemory,
} from "./hidden-rule-writer.ts";
import type { ScriptedRequest } from "./scripted-server/chat-world.ts";

/** Answers an optimizer contract, named by a line `Contract: <name>` in the system prompt; undefined without one. */
export function answerContract(
  request: ScriptedRequest,
  office: HiddenOffice,
  shares: ProposalShares,
  seed: number,
): JsonObject | undefined {
  const name = /^Contract: *(\S+)/m.exec(request.system)?.[1];
  if (name === undefined) return undefined;
  const reply = contracts.get(name) ?? replyNothing;
  return reply(readQuestion(request, office, shares, seed));
}

const replyNothing: ContractReply = () => ({ reasoning: "Nothing to add.", edits: [] });

const askNothing: ContractReply = ({ prompt }) => ({
  rules: [...prompt.matchAll(/^BEGIN rule-(\d+) /gm)].map(([, rule]) => ({ rule: Number(rule), powers: [] })),
});

const contracts: ReadonlyMap<string, ContractReply> = new Map<string, ContractReply>([
  ["analyst_error", analyseFailures],
  ["analyst_success", analyseSuccesses],
  ["contrastive", analyseContrasts],
  ["merge_failure", merge],
  ["merge_success", merge],
  ["merge_final", (question) => ({ ...merge(question), ranked: true })],
  ["ranking", rank],
  ["anchor_repair", repairAnchors],
  ["editor", answerEditor],
  ["carries", answerCarries],
  ["one_shot", rewriteOnce],
  ["slow_update", writeGuidance],
  ["meta_skill", writeMemory],
  ["powers", askNothing],
]);

function analyseFailures(question: OptimizerQuestion): JsonObject {
  const seen = readTrajectories(question);
  return {
    reasoning: `${seen.length} kinds of parcel went to the wrong shelf.`,
    failure_summary: seen.map(({ rule }) => ({
      failure_type: `wrong shelf for ${rule.topic}`,
      description: `The answer for ${rule.topic} was not the code that the office uses.`,
    })),
    edits: seen.slice(0, budgetOf(question)).map((topic) => written(propose(question, topic))),
  };
}

function analyseSuccesses(question: OptimizerQuestion): JsonObject {
  const seen = readTrajectories(question);
  return {
    reasoning: `${seen.length} kinds of parcel went to the right shelf.`,
    // successes need little change: one edit at most
    edits: seen.slice(0, Math.min(1, budgetOf(question))).map((topic) => written(propose(question, topic))),
  };
}

function analyseContrasts(question: OptimizerQuestion): JsonObject {
  const seen = readTrajectories(question);
  return {
    reasoning: `${seen.length} kinds of parcel went now to the right shelf and now to a wrong one.`,
    edits: seen.slice(0, budgetOf(question)).map((topic) => written(propose(question, topic))),
  };
}

/** Merges edits with the same content and their evidence: failures first, then by the number of tasks behind them. */
export function merge(question: Pick<OptimizerQuestion, "prompt">): JsonObject {
  const pool = readPool(question, "patches");
  const merged = new Map<string, PooledEdit>();
  for (const patch of pool) {
    for (const edit of readEdits(patch["edits"], patch["source"])) {
      const name = (edit.content ?? edit.target ?? "").replace(/\s+/g, " ").trim().toLowerCase();
      const twin = merged.get(name);
      merged.set(name, twin === undefined ? edit : joinEvidence(twin, edit));
    }
  }
  const edits = [...merged.values()].toSorted(
    (a, b) => Number(a.fromSuccess) - Number(b.fromSuccess) || b.evidence.length - a.evidence.length,
  );
  return { reasoning: `${pool.length} patches come to ${edits.length} edits.`, edits: edits.map(written) };
}

const joinEvidence = (first: PooledEdit, second: PooledEdit): PooledEdit => ({
  ...first,
  evidence: [...new Set([...first.evidence, ...second.evidence])],
  fromSuccess: first.fromSuccess && second.fromSuccess,
});

export function rank(question: Pick<OptimizerQuestion, "prompt">): JsonObject {
  const edits = readEdits(readPool(question, "edits"));
  const selected = [...edits.keys()]
    .toSorted((a, b) => (edits[b]?.evidence.length ?? 0) - (edits[a]?.evidence.length ?? 0))
    .slice(0, budgetOf(question));
  return { reasoning: "Edits that more tasks asked for come first.", selected };
}

const written = ({ op, target, content, file, evidence }: Edit): JsonObject => ({
  op,
  target,
  content,
  file,
  evidence,
});
