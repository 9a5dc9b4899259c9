import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import type { ModelRequest } from "../ports/model.ts";
import { seededRandom, shuffle } from "../random.ts";
import type { TextResult } from "../rules/rule-search.ts";
import type { Change } from "../rules/search-rule.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import { chooseGate, measureOriginal } from "./gates.ts";
import type { Gate, Standing } from "./gate.ts";
import { type SearchKnowledge, standingOn } from "./measure-rules.ts";
import { inPassages, losesLittle, passageRules, tidyEnd } from "./tidy-end.ts";

const claim =
  "The final tidying merges nine in ten duplicates in a result, loses no rule, makes no text longer and costs less than a point on average.";

longTest(claim, tidyEnds);

const topics = [1, 2, 3, 4, 5, 6];
const lineOf = (topic: number) => `- Parcels of kind ${topic} go to shelf S-${topic}.`;
const repeatOf = (topic: number) => `- For kind ${topic}, the right shelf is always S-${topic}.`;
const codesIn = (text: string): ReadonlySet<string> => new Set(text.match(/S-\d/g));
const tasks = 40;

interface EditorFaults {
  /** The chance that a merged passage loses a code, that a passage grows, or that a rule is in none. */
  readonly fault: number;
  /** The chance that a lost code is not noticed when it is asked about. */
  readonly blind: number;
}

/** One result of eight rules, two of them repeats, and what the tidy end made of it. */
async function tidyOne(seed: number, { fault, blind }: EditorFaults) {
  const random = seededRandom("tidy-end", seed);
  const pick = shuffle(topics, random).slice(0, 2);
  const words = shuffle([...topics.map(lineOf), ...pick.map(repeatOf)], random);
  const answer = (request: ModelRequest): string => {
    const asked = request.messages[0]?.content ?? "";
    if (contractOf(request) === "carries") {
      const { pairs } = readJson(asked) as { pairs: { id: string; old: string; new: string }[] };
      const isCarried = (pair: (typeof pairs)[number]) =>
        [...codesIn(pair.old)].every((code) => pair.new.includes(code)) || random() < blind;
      return JSON.stringify({ answers: pairs.map((pair) => ({ id: pair.id, carried: isCarried(pair) })) });
    }
    if (contractOf(request) !== "editor") return "wrong";
    const { rules } = readJson(asked) as { rules: { id: string; text: string }[] };
    const groups = [...Map.groupBy(rules, ({ text }) => /S-\d/.exec(text)?.[0]).values()];
    const passages = groups.map((own) => {
      const content = own[0]?.text ?? "";
      const kind = random() < fault ? Math.floor(3 * random()) : -1;
      const spoilt = [content.replace(/S-\d/, "the usual one"), `${content} ${"Mind this well. ".repeat(9)}`];
      return {
        rules: kind === 2 ? [] : own.map(({ id }) => id),
        op: "append",
        content: spoilt[kind] ?? content,
      };
    });
    return JSON.stringify({ passages: passages.filter(({ rules: ids }) => ids.length > 0) });
  };
  const context = await scriptedContext(answer, { gate: "rules", texts: 4 });
  const gate = chooseGate({ gate: "rules" }) as Required<Gate<SearchKnowledge>>;
  const base = singleFileSkill("# Desk\n\n- Be brief.\n");
  const val = Array.from({ length: tasks }, (_, at) => ({
    id: `v${at}`,
    input: `${at}`,
    answers: ["right"],
  }));
  const started = await measureOriginal(gate, base, val, { turns: 2, proposals: 2 }, context);
  const changes = words.map(
    (content): Change => ({ kind: "edit", edit: { op: "append", content, evidence: [] } }),
  );
  const input = { candidate: base, changes, on: [], step: 1, turn: 0, val };
  const known = gate.open({ ...input, standing: started.standing as Standing<SearchKnowledge> }, context);
  const numbers = known.rules.map(({ number }) => number);
  const standing = standingOn(known, numbers, context);
  const splits = { train: [], val: [], test: [] };
  const end = await tidyEnd(standing, { standing, splits, val, step: 2 }, context);
  const before = mainText(standing.current.skill);
  const isIn = (text: string, task: number) => codesIn(text).has(`S-${topics[task % topics.length]}`);
  // one reply in ten is a throw of the dice
  const scoreOf = (text: string, task: number) => Number(random() < 0.1 ? random() < 0.5 : isIn(text, task));
  const tidied =
    end && standingOn(inPassages(known, end.passages), passageRules(numbers, end.passages), context);
  const after = tidied && mainText(tidied.current.skill);
  const results = val.flatMap((_, task): TextResult[] => [
    { task, rules: numbers, score: scoreOf(before, task) },
    { task, rules: [...numbers, end?.number ?? 0], score: scoreOf(after ?? before, task) },
  ]);
  const isTaken = end !== undefined && losesLittle(end.number, results, []);
  const text = isTaken && after !== undefined ? after : before;
  const said = (one: string) => words.filter((word) => one.includes(word)).length;
  return {
    planted: words.length - topics.length,
    merged: said(before) - said(text),
    lost: topics.length - codesIn(text).size,
    longer: estimateTokens(text) > estimateTokens(before),
  };
}

const readJson = (text: string): unknown => JSON.parse(/```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "{}");

async function tidyEnds({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const results = numberOption(args, "results", short ? 50 : 1000);
  log(
    `${results} results of eight rules that say six things; ${tasks} val tasks, one reply in ten is a throw of the dice.`,
  );
  log(
    "What the world leaves out: the editor is a script. Prose that a model writes, and how often it notices a loss, are not shown.",
  );
  const cells = [
    { name: "a good editor", fault: 0, blind: 0 },
    { name: "one that spoils a passage in twenty", fault: 0.05, blind: 0 },
    {
      name: "one that spoils a passage in five, and a reader who misses a loss in ten",
      fault: 0.2,
      blind: 0.1,
    },
  ].map(async ({ name, ...faults }) => {
    const ends: Awaited<ReturnType<typeof tidyOne>>[] = [];
    for (let nth = 0; nth < results; nth += 1) ends.push(await tidyOne(seed * 10_000 + nth, faults));
    const sum = (of: (end: (typeof ends)[number]) => number) => ends.reduce((all, end) => all + of(end), 0);
    const figures = {
      merged: sum(({ merged }) => merged) / sum(({ planted }) => planted),
      lost: sum(({ lost }) => lost),
      longer: sum(({ longer }) => Number(longer)),
      points: (-100 * sum(({ lost }) => lost)) / (results * topics.length),
    };
    log(
      `${name}: ${(100 * figures.merged).toFixed(1)}% merged, ${figures.lost} rules lost, ${figures.longer} longer, ${figures.points.toFixed(2)} points`,
    );
    return { name, ...figures };
  });
  const all = await Promise.all(cells);
  const [good] = all;
  const ok =
    (good?.merged ?? 0) >= 0.9 &&
    all.every(({ longer, points }) => longer === 0 && points > -1) &&
    all.slice(0, 2).every(({ lost }) => lost === 0);
  return { ok, figures: { seed, results, cells: all } };
}
