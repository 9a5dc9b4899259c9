import type { JsonObject } from "../../src/ports.ts";
import {
  type ChatWorld,
  type ScriptedReply,
  type ScriptedRequest,
  seededRandom,
} from "../../src/testing/index.ts";
import { usualReply } from "../support/usual-replies.ts";
import { type HouseRule, findAsked, houseRules, remarks } from "./house.ts";

export interface NightWorldOptions {
  readonly seed: number;
  /** The share of the target's answers that a coin decides. @default 0.1 */
  readonly noise?: number;
  /** How much models say beside what they were asked for. @default 1 */
  readonly verbosity?: number;
  /** How often the optimizer proposes what. */
  readonly shares?: { readonly useful: number; readonly useless: number; readonly harmful: number };
}

export interface NightWorld extends ChatWorld {
  /** The share of fresh requests of all kinds that are answered as the house wants it, by somebody who read this. */
  trueScore(read: string, requests: number): number;
}

/** Miner, target, optimizer and judge of a shop whose rules nobody wrote down. Every draw belongs to the call's key. */
export function nightWorld(options: NightWorldOptions): NightWorld {
  const {
    seed,
    noise = 0.1,
    verbosity = 1,
    shares = { useful: 0.76, useless: 0.12, harmful: 0.12 },
  } = options;
  const contracts: Readonly<Record<string, (asked: Asked) => JsonObject>> = {
    mine: mineTasks,
    group_wishes: groupSentences,
    word_wishes: wordWishes,
    analyst_error: (asked) => proposeRules(asked, shares),
    contrastive: (asked) => proposeRules(asked, shares),
    judge: judgeAnswer,
  };
  const reply = (request: ScriptedRequest): ScriptedReply => {
    const merged = usualReply(request);
    if (merged !== undefined) return merged;
    const random = seededRandom("night-world", seed, request.key);
    const prompt = request.messages.map(({ content }) => content).join("\n\n");
    const contract = /^Contract: (\S+)$/m.exec(request.system)?.[1];
    const answer = contracts[contract ?? ""];
    if (answer === undefined) return { text: answerTarget(request.system, prompt, noise, random, verbosity) };
    const found = { thoughts: remarks(random, 2 * verbosity).join(" "), ...answer({ prompt, random }) };
    return { text: JSON.stringify(found) };
  };
  return {
    reply,
    trueScore(read, requests) {
      const right = houseRules.flatMap((rule) =>
        Array.from({ length: requests }, (_, n) => {
          // nobody has asked that before
          const prompt = rule.request(50_000 + n);
          const random = seededRandom("night-world-truth", seed, rule.name, n);
          return isRight(rule, prompt, answerTarget(read, prompt, noise, random));
        }),
      );
      return right.filter(Boolean).length / right.length;
    },
  };
}

interface Asked {
  readonly prompt: string;
  readonly random: () => number;
}

/** Obeys what it has read, and nothing that it has not. */
function answerTarget(
  read: string,
  prompt: string,
  noise: number,
  random: () => number,
  verbosity = 1,
): string {
  const asked = findAsked(prompt);
  if (asked === undefined) return "ok";
  const { rule, fields } = asked;
  const knows = read.includes(rule.sentence) && !read.includes(rule.harmful);
  const isObeyed = random() < noise ? random() < 0.5 : knows;
  return [...remarks(random, verbosity), rule.answer(fields, isObeyed)].join("\n\n");
}

function isRight(rule: HouseRule, prompt: string, answer: string): boolean {
  const fields = rule.read(prompt) ?? {};
  const wanted = rule.check?.(fields).value;
  return answer.includes(
    typeof wanted === "string" ? wanted : `Covered by test/${fields["function"]}.test.ts`,
  );
}

/** Finds the request that each turn began with, and what was said against the answer to it. */
function mineTasks({ prompt }: Asked): JsonObject {
  const turns = [...prompt.matchAll(/^\[turn \d+, the person\]\n([\s\S]*?)\n\n\[turn \d+, the agent\]/gm)];
  const said = turns.map(([, text = ""]) => text.trim());
  const tasks = said.flatMap((request, at): readonly JsonObject[] => {
    const asked = findAsked(request);
    if (asked === undefined) return [];
    const { rule, fields } = asked;
    const next = said[at + 1] ?? "";
    const isCorrected = next.startsWith("no,") || next.startsWith(rule.sentence);
    const paraphrase = paraphraseOf(rule, request);
    return [
      {
        kind: isCorrected ? "correction" : "task",
        intent: request.split("\n")[0] ?? "",
        context: "",
        checks: rule.check === undefined ? [] : [{ ...rule.check(fields), negate: false }],
        rubric: rule.rubric ?? "",
        outcome: isCorrected ? "failed" : "solved",
        evidence: [isCorrected ? (next.split("\n")[0] ?? "") : (request.split("\n")[0] ?? "")],
        scope: rule.home === "personal" ? "personal" : "project",
        stated: next.startsWith(rule.sentence) ? rule.sentence : "",
        paraphrases: paraphrase === undefined ? [] : [paraphrase],
      },
    ];
  });
  return { tasks: tasks.slice(0, 3) };
}

const saidOf = (text: string): HouseRule | undefined =>
  houseRules.find((rule) => text.includes(rule.sentence) || text.includes(rule.correction));

/** Puts together what belongs to one rule of the house. */
function groupSentences({ prompt }: Asked): JsonObject {
  const numbered = (word: string) =>
    [...prompt.matchAll(new RegExp(`^${word} (\\d+): (.+)$`, "gm"))].map(([, number = "", text = ""]) => ({
      number: Number(number),
      rule: saidOf(text),
    }));
  const wishes = numbered("wish");
  const groups = [...Map.groupBy(numbered("sentence"), ({ rule }) => rule)].map(([rule, own]) => ({
    sentences: own.map(({ number }) => number),
    wish: wishes.find((wish) => rule !== undefined && wish.rule === rule)?.number ?? null,
  }));
  return { groups, same: [] };
}

/** Says what the house wants. */
function wordWishes({ prompt }: Asked): JsonObject {
  const [, ...blocks] = prompt.split(/^wish \d+, for /m);
  return {
    wishes: blocks.map((text, at) => ({ wish: at + 1, rule: saidOf(text)?.sentence ?? "", already: "" })),
  };
}

/** The other wording is made of the same number; numbers are found by trying. */
function paraphraseOf(rule: HouseRule, request: string): string | undefined {
  for (let n = 0; n < 600; n += 1) if (request.startsWith(rule.request(n))) return rule.paraphrase(n);
  return undefined;
}

/** The rule of each kind of task that was shown, or now and then something else about it. */
function proposeRules(
  { prompt, random }: Asked,
  { useful, useless, harmful }: NonNullable<NightWorldOptions["shares"]>,
): JsonObject {
  const [, ...blocks] = prompt.split(/^Task id: /m);
  const idsOf = new Map<HouseRule, Set<string>>();
  for (const block of blocks) {
    const id = /^\S+/.exec(block)?.[0] ?? "";
    const rule = findAsked(block)?.rule;
    if (rule !== undefined) idsOf.set(rule, (idsOf.get(rule) ?? new Set()).add(id));
  }
  const edits = [...idsOf]
    .toSorted(([, a], [, b]) => b.size - a.size)
    .map(([rule, ids]) => {
      const draw = random() * (useful + useless + harmful);
      const content = draw < useful ? rule.sentence : draw < useful + useless ? rule.useless : rule.harmful;
      return { op: "append", content: `- ${content}`, evidence: [...ids] };
    });
  return {
    reasoning: `${edits.length} kinds of answers were not what the person wanted.`,
    failure_summary: [],
    edits,
  };
}

/** Looks at what was answered, and at nothing that the answer says about grading. */
function judgeAnswer({ prompt }: Asked): JsonObject {
  const part = (word: string) =>
    new RegExp(`^BEGIN ${word} ([0-9a-f]+)\\n([\\s\\S]*?)\\nEND ${word} \\1$`, "m").exec(prompt)?.[2] ?? "";
  const asked = findAsked(part("task"));
  const isMet = asked !== undefined && isRight(asked.rule, part("task"), part("answer"));
  return { reason: isMet ? "It names the test file." : "No test file is named.", score: isMet ? 1 : 0 };
}
