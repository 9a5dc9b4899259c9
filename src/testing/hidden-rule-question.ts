import type { Json, JsonObject } from "../core/json.ts";
import { seededRandom } from "../core/random.ts";
import type { Edit, EditOp } from "../core/skill/edit.ts";
import type { HiddenRule, HiddenOffice } from "./hidden-rule-office.ts";
import type { ScriptedRequest } from "./scripted-server/chat-world.ts";

/** How often the scripted optimizer makes each kind of proposal. Only the proportions count. */
export interface ProposalShares {
  readonly useful: number;
  readonly useless: number;
  readonly harmful: number;
}

/** One call of the optimizer, as scripted replies see it. */
export interface OptimizerQuestion {
  readonly prompt: string;
  readonly office: HiddenOffice;
  readonly shares: ProposalShares;
  /** A stream of draws for this call alone. */
  random(...name: readonly (string | number)[]): () => number;
}

export type ContractReply = (question: OptimizerQuestion) => JsonObject;

export function readQuestion(
  request: ScriptedRequest,
  office: HiddenOffice,
  shares: ProposalShares,
  seed: number,
): OptimizerQuestion {
  return {
    prompt: [request.system, ...request.messages.map((message) => message.content)].join("\n\n"),
    office,
    shares,
    random: (...draw) => seededRandom(seed, request.key, ...draw),
  };
}

export interface SeenTopic {
  readonly rule: HiddenRule;
  /** Ids of the tasks that showed it. */
  readonly ids: readonly string[];
}

/** The topics of the trajectories in the prompt, the most frequent first. */
export function readTrajectories({ prompt, office }: OptimizerQuestion): readonly SeenTopic[] {
  const idsByRule = new Map<HiddenRule, string[]>();
  const [, ...blocks] = prompt.split(/^Task id: */m);
  for (const block of blocks) {
    const id = /^.*/.exec(block)?.[0].trim() ?? "";
    const rule = office.findRule(block);
    if (rule === undefined) continue;
    const ids = idsByRule.get(rule) ?? [];
    if (!ids.includes(id)) ids.push(id);
    idsByRule.set(rule, ids);
  }
  return [...idsByRule].map(([rule, ids]) => ({ rule, ids })).toSorted((a, b) => b.ids.length - a.ids.length);
}

/**
 * Finds the skill's main file, byte for byte: the text between the last `<skill>` and `</skill>`, else the whole
 * prompt. If an older version is shown too, the current one comes second.
 */
export function readSkillText({ prompt }: Pick<OptimizerQuestion, "prompt">): string {
  const [, shown = prompt] = [...prompt.matchAll(/<skill>\n?([\s\S]*?)\n?<\/skill>/g)].at(-1) ?? [];
  return /^<file name="[^"]*">\n([\s\S]*?)\n<\/file>/.exec(shown)?.[1] ?? shown;
}

/** The most edits that the prompt allows. Without the line there's no limit. */
export const budgetOf = ({ prompt }: Pick<OptimizerQuestion, "prompt">): number =>
  Number(/^Edit budget: *(\d+)/m.exec(prompt)?.[1] ?? Number.POSITIVE_INFINITY);

export interface PooledEdit extends Edit {
  readonly fromSuccess: boolean;
}

export function readEdits(value: Json | undefined, patchSource?: Json): readonly PooledEdit[] {
  return readObjects(value).map((edit) => {
    const text = (name: "target" | "content" | "file") => {
      const field = edit[name];
      return typeof field === "string" ? { [name]: field } : {};
    };
    const evidence = edit["evidence"];
    return {
      op: operations.find((op) => op === edit["op"]) ?? "append",
      ...text("target"),
      ...text("content"),
      ...text("file"),
      evidence: Array.isArray(evidence) ? evidence.filter((id) => typeof id === "string") : [],
      fromSuccess: (edit["source"] ?? patchSource) === "success",
    };
  });
}

const operations: readonly EditOp[] = ["append", "insert_after", "replace", "delete"];

/** The list `field` of the first fenced JSON block that has one. */
export function readPool(
  { prompt }: Pick<OptimizerQuestion, "prompt">,
  field: "patches" | "edits" | "rules" | "pairs",
): readonly JsonObject[] {
  for (const [, text = ""] of prompt.matchAll(/^```json\r?\n([\s\S]*?)\r?\n```/gm)) {
    try {
      const [pool] = readObjects([JSON.parse(text)]);
      if (Array.isArray(pool?.[field])) return readObjects(pool[field]);
    } catch {
      // an example in the prompt's prose needn't be JSON
    }
  }
  return [];
}

const readObjects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item))
    : [];
