import { WhetstoneError } from "../core/errors.ts";
import { seededRandom } from "../core/random.ts";
import type { Splits, Task } from "../core/tasks/task.ts";
import { type HiddenRule, openOffice, type SkillContents } from "./hidden-rule-office.ts";
import { answerContract } from "./hidden-rule-optimizer.ts";
import type { ChatWorld, ScriptedRequest } from "./scripted-server/chat-world.ts";

export interface HiddenRuleWorldOptions {
  readonly seed: number;
  /** How many rules there are to learn. @default 12 */
  readonly rules?: number;
  /** The length to which every task's text is padded with words that don't matter. @default 0 */
  readonly noteLength?: number;
  /** Chance that the target is right when the skill has the task's rule. @default 0.92 */
  readonly passWith?: number;
  /** The same when it doesn't. @default 0.25 */
  readonly passWithout?: number;
  /** The same when the skill misleads about it. @default 0.05 */
  readonly passHarmed?: number;
  /**
   * Share of calls that are drawn separately for each key. The others are decided by the task alone, once for all
   * (1 = every call is its own throw of the dice, 0 = a target without noise). @default 1
   */
  readonly noise?: number;
  /** Weight of useful proposals by the optimizer. @default 0.5 */
  readonly useful?: number;
  /** Weight of proposals that change nothing. @default 0.3 */
  readonly useless?: number;
  /** Weight of proposals that mislead the target about two topics. @default 0.2 */
  readonly harmful?: number;
}

/** A world with a known truth: a skill's real worth can be computed instead of estimated. */
export interface HiddenRuleWorld extends ChatWorld {
  readonly rules: readonly HiddenRule[];
  /** Tasks `start` to `start + count`. Ranges that don't overlap have no tasks in common. @default start 0 */
  tasks(count: number, options?: { readonly start?: number }): readonly Task[];
  /** Three sets of tasks without overlap. */
  splits(counts: { readonly train: number; readonly val: number; readonly test: number }): Splits;
  /** A skill with the first `rulesHeld` of `rules`. */
  seedSkill(rulesHeld: number): string;
  rulesIn(skillText: string): SkillContents;
  /** The exact expected hard score of a skill on these tasks. */
  trueScore(skillText: string, tasks: readonly Task[]): number;
}

/**
 * A parcel office with hidden rules, one shelf code for each kind of parcel. A target (any model with `target` in
 * its name) answers tasks, and does better if its system prompt has the rule. An optimizer (any model with
 * `optimizer` in its name) answers the contract in its system prompt (`Contract: <name>`). It sends useful, useless
 * and harmful edits in the given proportions. It reads trajectories by their `Task id: <id>` lines, and the skill
 * between `<skill>` and `</skill>`. Pools come from a fenced json block, the limit from `Edit budget: <n>`.
 * Anything else gets "ok".
 *
 * @example
 * const world = hiddenRuleWorld({ seed: 1, rules: 6 });
 * await using server = await startScriptedServer({ seed: 1, world });
 * await train({
 *   skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(2) } },
 *   tasks: world.splits({ train: 40, val: 40, test: 40 }),
 *   target: "office/target",
 *   optimizer: "office/optimizer",
 *   baseURL: `${server.url}/v1`,
 *   spend: { calls: 2000 },
 * });
 */
export function hiddenRuleWorld(options: HiddenRuleWorldOptions): HiddenRuleWorld {
  const { seed, rules = 12, passWith = 0.92, passWithout = 0.25, passHarmed = 0.05, noise = 1 } = options;
  const { useful = 0.5, useless = 0.3, harmful = 0.2 } = options;
  checkShares({ passWith, passWithout, passHarmed, noise });
  checkWeights({ useful, useless, harmful });
  const office = openOffice(seed, rules, options.noteLength);
  const readSkill = rememberLast(office.readSkill);

  const chance = (skillText: string, rule: HiddenRule): number => {
    const { held, harmed } = readSkill(skillText);
    if (harmed.includes(rule)) return passHarmed;
    return held.includes(rule) ? passWith : passWithout;
  };

  // by the ticket, not the whole text, because a frame around the task must not change its result
  const fixedDraw = (question: string): number =>
    seededRandom(seed, office.findTicket(question) ?? question, "fixed")();

  const answerTask = (request: ScriptedRequest, question: string, rule: HiddenRule): string => {
    const random = seededRandom(seed, request.key, "answer");
    const draw = random();
    const isFresh = random() < noise;
    const passes = (isFresh ? draw : fixedDraw(question)) < chance(request.system, rule);
    return passes ? rule.code : office.wrongCode(rule, random);
  };

  const tasks = (count: number, { start = 0 }: { readonly start?: number } = {}): readonly Task[] =>
    Array.from({ length: count }, (_, index) => office.writeTask(start + index));

  return {
    rules: office.rules,
    tasks,
    splits: ({ train, val, test }) => ({
      train: tasks(train),
      val: tasks(val, { start: train }),
      test: tasks(test, { start: train + val }),
    }),
    seedSkill: office.writeSkill,
    rulesIn: office.readSkill,
    trueScore: (skillText, list) => {
      let sum = 0;
      for (const { input } of list) {
        const rule = office.findRule(input);
        if (rule === undefined) continue;
        const share = chance(skillText, rule);
        sum += noise * share + (1 - noise) * (fixedDraw(input) < share ? 1 : 0);
      }
      return list.length === 0 ? 0 : sum / list.length;
    },
    reply: (request) => {
      if (request.model.includes("optimizer")) {
        const answer = answerContract(request, office, { useful, useless, harmful }, seed);
        return { text: answer === undefined ? "ok" : JSON.stringify(answer) };
      }
      const question = request.messages.findLast((message) => message.role === "user")?.content ?? "";
      const rule = request.model.includes("target") ? office.findRule(question) : undefined;
      return { text: rule === undefined ? "ok" : answerTask(request, question, rule) };
    },
  };
}

// a gate asks thousands of times with the same few skills
function rememberLast(read: (text: string) => SkillContents): (text: string) => SkillContents {
  const known = new Map<string, SkillContents>();
  return (text) => {
    const found = known.get(text) ?? read(text);
    if (known.size >= 64) known.clear();
    known.set(text, found);
    return found;
  };
}

function checkShares(shares: Readonly<Record<string, number>>): void {
  for (const [name, share] of Object.entries(shares)) {
    if (share >= 0 && share <= 1) continue;
    throw new WhetstoneError("usage", `${name} is ${share}, which is not a share.`, {
      hint: `Give ${name} a value between 0 and 1.`,
    });
  }
}

function checkWeights(weights: Readonly<Record<string, number>>): void {
  const values = Object.values(weights);
  if (values.every((weight) => weight >= 0) && values.some((weight) => weight > 0)) return;
  throw new WhetstoneError("usage", "The optimizer has nothing that it could propose.", {
    hint: `Give one of ${Object.keys(weights).join(", ")} a weight above 0, and none below.`,
  });
}
