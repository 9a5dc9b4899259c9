import { noPowers } from "./no-powers.ts";
import { extractJson } from "../../src/method.ts";
import type { Json, JsonObject, Task } from "../../src/ports.ts";
import { type ChatWorld, type ScriptedRequest, seededRandom } from "../../src/testing/index.ts";

/** Of `triggerWorld`. */
export interface TriggerWorldOptions {
  readonly seed: number;
  /** Weights of the optimizer's proposals. @default 0.6, 0.25, 0.15 */
  readonly proposals?: { readonly useful: number; readonly useless: number; readonly harmful: number };
}

/** A world in which it is known how often a description makes the target load its skill. */
export interface TriggerWorld extends ChatWorld {
  /** SKILL.md of the trained skill, whose description names the first of its kinds. @default none */
  skill(named?: number): string;
  /** SKILL.md of the skills beside it, by name. */
  readonly neighbours: Readonly<Record<string, string>>;
  /** As a trigger set is read: half of the requests should load the skill. */
  tasks(count: number): readonly Task[];
  /** Exact, over all kinds of requests. */
  truth(description: string): { readonly precision: number; readonly recall: number; readonly score: number };
}

const name = "parcel-customs";
const ownKinds = [
  "customs declarations",
  "tariff codes",
  "export licences",
  "duty estimates",
  "origin certificates",
  "import permits",
];
const foreignKinds = [
  "lost parcels",
  "delivery windows",
  "address labels",
  "barcode sheets",
  "damage claims",
  "insurance cover",
];
const kinds = [...ownKinds, ...foreignKinds];

const others: Readonly<Record<string, string>> = {
  "parcel-tracking": "Finds lost parcels and says delivery windows. Use when a parcel is on its way.",
  "parcel-labels": "Prints address labels and barcode sheets. Use when a parcel needs a label.",
  "parcel-insurance": "Handles damage claims and insurance cover. Use when a parcel was harmed.",
};

/** Chances that the target loads the skill. */
const chances = { named: 0.92, vague: 0.35, foreign: 0.4, anything: 0.9, excluded: 0.05 };
const anything = "Use it for any request.";

/**
 * A parcel office whose agent has four skills. The target (any model whose name contains `target`) loads the trained one
 * often for kinds of requests that its description names, seldom for those that it excludes, and now and then for all
 * others. The optimizer names and excludes kinds (useful), says nothing (useless), or excludes its own kinds and invites
 * everything (harmful), in the given proportions.
 *
 * @example
 * const world = triggerWorld({ seed: 3 });
 * await using server = await startScriptedServer({ seed: 3, world });
 */
export function triggerWorld({ seed, proposals }: TriggerWorldOptions): TriggerWorld {
  const weights = proposals ?? { useful: 0.6, useless: 0.25, harmful: 0.15 };
  return {
    skill: (named = 0) => writeSkill(name, describe(named), "Fill in the form line by line."),
    neighbours: Object.fromEntries(
      Object.entries(others).map(([other, text]) => [other, writeSkill(other, text, "Do it step by step.")]),
    ),
    tasks: (count) => Array.from({ length: count }, (_, at) => writeTask(at, seed)),
    truth(description) {
      const sum = (list: readonly string[]) => list.reduce((all, kind) => all + chance(kind, description), 0);
      const [hits, false_] = [sum(ownKinds), sum(foreignKinds)];
      return {
        precision: hits / (hits + false_),
        recall: hits / ownKinds.length,
        score: (hits + foreignKinds.length - false_) / kinds.length,
      };
    },
    reply(request) {
      if (request.model.includes("target")) return { text: choose(request, seed) };
      const contract = /^Contract: *(\S+)/m.exec(request.system)?.[1] ?? "";
      return { text: JSON.stringify(optimize(contract, request, weights, seed)) };
    },
  };
}

const describe = (named: number): string =>
  ["Helps with parcels.", ...ownKinds.slice(0, named).map((kind) => `Use it for ${kind}.`)].join(" ");

const writeSkill = (skill: string, description: string, body: string): string =>
  `---\nname: ${skill}\ndescription: ${description}\nlicense: MIT\n---\n\n# ${skill}\n\n${body}\n`;

function writeTask(at: number, seed: number): Task {
  const kind = kinds[at % kinds.length] ?? "";
  const random = seededRandom("trigger-request", seed, at);
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? "";
  const wanted = ownKinds.includes(kind);
  return {
    id: `trigger-${at + 1}`,
    input: `${pick(openings)} ${kind} ${pick(occasions)} ${pick(places)}, order ${1000 + at}.`,
    checks: [{ kind: "trigger", value: wanted }],
    type: wanted ? "should" : "should-not",
  };
}

const openings = [
  "Could you help me with",
  "My boss wants to know about",
  "I am stuck with",
  "Please sort out",
];
const occasions = [
  "for the shipment to",
  "for a box that left for",
  "for our customer in",
  "for a crate from",
];
const places = ["Oslo", "Lagos", "Lima", "Osaka", "Turin", "Quebec", "Perth", "Tunis", "Gdansk", "Hanoi"];

function chance(kind: string, description: string): number {
  if (description.includes(`Not for ${kind}`)) return chances.excluded;
  if (ownKinds.includes(kind)) return description.includes(kind) ? chances.named : chances.vague;
  return description.includes(anything) ? chances.anything : chances.foreign;
}

const kindIn = (text: string): string | undefined => kinds.find((kind) => text.includes(kind));

function choose({ system, messages, key }: ScriptedRequest, seed: number): string {
  const asked = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const kind = kindIn(asked);
  const description = new RegExp(`^- ${name}: (.*)$`, "m").exec(system)?.[1];
  if (kind === undefined || description === undefined) return "ok";
  const isLoaded = seededRandom(seed, key, "choice")() < chance(kind, description);
  const neighbour = Object.keys(others).find((other) => others[other]?.includes(kind) === true);
  return JSON.stringify({ skill: isLoaded ? name : (neighbour ?? null) });
}

type Weights = NonNullable<TriggerWorldOptions["proposals"]>;

function optimize(contract: string, request: ScriptedRequest, weights: Weights, seed: number): JsonObject {
  const prompt = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const budget = Number(/^Edit budget: (\d+)$/m.exec(prompt)?.[1] ?? 1);
  if (contract.startsWith("analyst_") || contract === "contrastive") {
    const random = seededRandom(seed, request.key, "proposals");
    const seen = new Map<string, string[]>();
    for (const [, id = "", rest = ""] of prompt.matchAll(
      /^Task id: (\S+)\n([^]*?)(?=^Task id: |$(?![^]))/gm,
    )) {
      const kind = kindIn(rest);
      if (kind !== undefined) seen.set(kind, [...(seen.get(kind) ?? []), id]);
    }
    const description = /<skill>\n([^]*?)\n<\/skill>/.exec(prompt)?.[1] ?? "";
    const edits = [...seen].map(([kind, evidence]) => ({
      op: "append",
      content: propose(kind, description, weights, random),
      evidence,
    }));
    return { reasoning: `${edits.length} kinds of requests.`, edits: edits.slice(0, budget) };
  }
  if (contract === "powers") return noPowers(prompt);
  if (contract.startsWith("merge_")) return merge(prompt);
  if (contract === "ranking") return { selected: Array.from({ length: budget }, (_, at) => at) };
  return { reasoning: "Nothing to add.", memory: "", edits: 0 };
}

function propose(kind: string, description: string, weights: Weights, random: () => number): string {
  const { useful, useless, harmful } = weights;
  const draw = random() * (useful + useless + harmful);
  const isOwn = ownKinds.includes(kind);
  const good = isOwn ? `Use it for ${kind}.` : `Not for ${kind}.`;
  if (draw < useful && !description.includes(good)) return good;
  if (draw >= useful + useless) return isOwn ? `Not for ${kind}.` : anything;
  return `Ask for it early (note ${Math.floor(random() * 1000)}).`;
}

/** Each content once, those that more tasks asked for first. */
function merge(prompt: string): JsonObject {
  const patches = extractJson(prompt)?.["patches"];
  const edits = listOf(patches).flatMap((patch) => listOf(patch["edits"]));
  const distinct = new Map<Json | undefined, JsonObject>();
  for (const edit of edits) {
    const twin = distinct.get(edit["content"]);
    const evidence = [...evidenceOf(twin), ...evidenceOf(edit)];
    distinct.set(edit["content"], { ...edit, evidence });
  }
  const ordered = [...distinct.values()].toSorted((a, b) => evidenceOf(b).length - evidenceOf(a).length);
  return { reasoning: "Joined.", edits: ordered, ranked: true };
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonObject[]) : [];
const evidenceOf = (edit: JsonObject | undefined): readonly Json[] => {
  const evidence = edit?.["evidence"];
  return Array.isArray(evidence) ? (evidence as readonly Json[]) : [];
};
