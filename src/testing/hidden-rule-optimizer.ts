import type { Json, JsonObject } from "../core/json.ts";
import { seededRandom } from "../core/random.ts";
import type { Edit } from "../core/skill/edit.ts";
import { type HiddenRule, type HiddenRuleOffice, rulesHeading } from "./hidden-rule-office.ts";
import type { ScriptedRequest } from "./scripted-server/chat-world.ts";

/** How often the scripted optimizer proposes what. Only the proportions count. */
export interface ProposalShares {
  readonly useful: number;
  readonly useless: number;
  readonly harmful: number;
}

interface Question {
  readonly prompt: string;
  readonly office: HiddenRuleOffice;
  readonly shares: ProposalShares;
  /** A stream of draws that belongs to this call. */
  random(...name: readonly (string | number)[]): () => number;
}

type ContractReply = (question: Question) => JsonObject;

/** Answers an optimizer contract, named by a line `Contract: <name>` in the system prompt; undefined without one. */
export function answerContract(
  request: ScriptedRequest,
  office: HiddenRuleOffice,
  shares: ProposalShares,
  seed: number,
): JsonObject | undefined {
  const name = /^Contract: *(\S+)/m.exec(request.system)?.[1];
  if (name === undefined) return undefined;
  const reply = contracts.get(name) ?? replyNothing;
  return reply({
    prompt: [request.system, ...request.messages.map((message) => message.content)].join("\n\n"),
    office,
    shares,
    random: (...draw) => seededRandom(seed, request.key, ...draw),
  });
}

const replyNothing: ContractReply = () => ({ reasoning: "Nothing to add.", edits: [] });

const contracts: ReadonlyMap<string, ContractReply> = new Map<string, ContractReply>([
  ["analyst_error", analyseFailures],
  ["analyst_success", analyseSuccesses],
  ["merge_failure", (question) => merge(question)],
  ["merge_success", (question) => merge(question)],
  ["merge_final", (question) => ({ ...merge(question), ranked: true })],
  ["ranking", rank],
]);

function analyseFailures(question: Question): JsonObject {
  const seen = readTrajectories(question);
  return {
    reasoning: `${seen.length} kinds of parcel went to the wrong shelf.`,
    failure_summary: seen.map(({ rule, ids }) => ({
      failure_type: `wrong shelf for ${rule.topic}`,
      count: ids.length,
      description: `The answer for ${rule.topic} was not the code that the office uses.`,
    })),
    edits: seen.slice(0, editBudget(question)).map((topic) => propose(question, topic)),
  };
}

function analyseSuccesses(question: Question): JsonObject {
  const seen = readTrajectories(question);
  return {
    reasoning: `${seen.length} kinds of parcel went to the right shelf.`,
    success_patterns: seen.map(({ rule }) => `${rule.topic} went where they belong`),
    // what works needs little change: one edit at most
    edits: seen.slice(0, Math.min(1, editBudget(question))).map((topic) => propose(question, topic)),
  };
}

interface SeenTopic {
  readonly rule: HiddenRule;
  /** Ids of the tasks that showed it. */
  readonly ids: readonly string[];
}

/** The topics of the trajectories in the prompt, the most frequent first. */
function readTrajectories({ prompt, office }: Question): readonly SeenTopic[] {
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

function propose(question: Question, { rule, ids }: SeenTopic): JsonObject {
  const { office, shares } = question;
  const random = question.random("proposal", rule.topic);
  // for a rule that the skill already holds there is nothing useful to say: that share falls to useless advice
  const draw = random() * (shares.useful + shares.useless + shares.harmful);
  const skill = readSkillText(question.prompt);
  const place = placeEdit(skill, random());
  if (draw >= shares.useful + shares.useless) {
    return { ...place, content: `- ${office.writeOverride(rule, random)}`, evidence: ids };
  }
  if (draw < shares.useful) {
    const [misleading] = office.findOverrides(skill, rule);
    if (misleading !== undefined) return { op: "delete", target: misleading, evidence: ids };
    if (!skill.includes(rule.sentence)) return { ...place, content: `- ${rule.sentence}`, evidence: ids };
  }
  const advice = uselessAdvice[Math.floor(random() * uselessAdvice.length)] ?? "";
  return { ...place, content: `- ${advice.replace("{topic}", rule.topic)}`, evidence: ids };
}

/** The skill between `<skill>` and `</skill>`, else the whole prompt. */
const readSkillText = (prompt: string): string => /<skill>([\s\S]*?)<\/skill>/.exec(prompt)?.[1] ?? prompt;

const placeEdit = (skill: string, draw: number): { readonly op: string; readonly target?: string } =>
  draw < 0.5 && skill.includes(rulesHeading)
    ? { op: "insert_after", target: rulesHeading }
    : { op: "append" };

const uselessAdvice = [
  "Read notes about {topic} twice before you answer.",
  "Be careful with {topic}.",
  "Think about who sends {topic} and why.",
  "Keep the tone friendly when a note is about {topic}.",
  "Notes about {topic} can be long; stay calm.",
];

/** The most edits that the prompt allows; no line, no limit. */
const editBudget = ({ prompt }: Question): number =>
  Number(/^Edit budget: *(\d+)/m.exec(prompt)?.[1] ?? Number.POSITIVE_INFINITY);

/** One edit for each content, all its evidence, failures first, then by how many tasks asked for it. */
function merge({ prompt }: Question): JsonObject {
  const pool = readPool(prompt, "patches");
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
  return {
    reasoning: `${pool.length} patches come to ${edits.length} edits.`,
    edits: edits.map(({ op, target, content, file, evidence }) => ({
      op,
      ...(target === undefined ? {} : { target }),
      ...(content === undefined ? {} : { content }),
      ...(file === undefined ? {} : { file }),
      evidence,
    })),
  };
}

function rank(question: Question): JsonObject {
  const edits = readEdits(readPool(question.prompt, "edits"), undefined);
  const selected = [...edits.keys()]
    .toSorted((a, b) => (edits[b]?.evidence.length ?? 0) - (edits[a]?.evidence.length ?? 0))
    .slice(0, editBudget(question));
  return { reasoning: "Edits that more tasks asked for come first.", selected };
}

interface PooledEdit extends Pick<Edit, "target" | "content" | "file" | "evidence"> {
  readonly op: string;
  readonly fromSuccess: boolean;
}

const joinEvidence = (first: PooledEdit, second: PooledEdit): PooledEdit => ({
  ...first,
  evidence: [...new Set([...first.evidence, ...second.evidence])],
  fromSuccess: first.fromSuccess && second.fromSuccess,
});

function readEdits(value: Json | undefined, patchSource: Json | undefined): readonly PooledEdit[] {
  return readObjects(value).map((edit) => {
    const text = (name: "target" | "content" | "file") => {
      const field = edit[name];
      return typeof field === "string" ? { [name]: field } : {};
    };
    const evidence = edit["evidence"];
    return {
      op: typeof edit["op"] === "string" ? edit["op"] : "append",
      ...text("target"),
      ...text("content"),
      ...text("file"),
      evidence: Array.isArray(evidence) ? evidence.filter((id) => typeof id === "string") : [],
      fromSuccess: (edit["source"] ?? patchSource) === "success",
    };
  });
}

/** The list `field` of the first fenced JSON block that has one. */
function readPool(prompt: string, field: "patches" | "edits"): readonly JsonObject[] {
  for (const [, text = ""] of prompt.matchAll(/^```json\r?\n([\s\S]*?)\r?\n```/gm)) {
    try {
      const [pool] = readObjects([JSON.parse(text)]);
      if (Array.isArray(pool?.[field])) return readObjects(pool[field]);
    } catch {
      // an example in the prompt's prose need not be JSON
    }
  }
  return [];
}

const readObjects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item))
    : [];
