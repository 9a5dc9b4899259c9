import { hashJson } from "../canonical.ts";
import { extractJson } from "../extract-json.ts";
import type { Message, Reply } from "../ports/model.ts";
import { seededRandom, shuffle } from "../random.ts";
import { quote } from "../scorers/scorer.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { installed, installedName } from "../tasks/agent-environment.ts";
import type { Environment, EnvironmentContext } from "../tasks/environment.ts";
import type { Outcome } from "../tasks/outcome.ts";
import { taskHash } from "../tasks/task-hash.ts";
import type { Task } from "../tasks/task.ts";
import { readDescription } from "./description.ts";
import { wantsTrigger } from "./trigger-task.ts";

/** Whether the target loads the skill for a request, with its neighbors to choose from. */
export function triggerEnvironment(neighbours: readonly Skill[]): Environment {
  // the same few skills are offered thousands of times
  const offers = new WeakMap<Skill, Offer>();
  const offerOf = (skill: Skill): Offer => {
    const known = offers.get(skill) ?? { name: installedName(skill), description: readDescription(skill) };
    offers.set(skill, known);
    return known;
  };
  return {
    name: "trigger",
    // with different neighbors it's a different question
    version: `1-${hashJson(neighbours.map(skillIdentity)).slice(0, 16)}`,
    throughContext: true,
    async run(task, skill, context) {
      const wanted = wantsTrigger(task);
      if (wanted === undefined) return { kind: "invalid", reason: "it isn't a trigger task" };
      const choice =
        context.agent === undefined
          ? await askModel(task, [skill, ...neighbours].map(offerOf), context)
          : await runAgent(task, installed(skill, neighbours), context.agent);
      return judge(choice, offerOf(skill).name, wanted);
    },
  };
}

/** An agent's knowledge of a skill before loading it. */
interface Offer {
  readonly name: string;
  readonly description: string;
}

interface Choice {
  /** Names in loading order. */
  readonly loaded: readonly string[];
  readonly conversation: readonly Message[];
  /** A problem with the answer itself. */
  readonly problem?: string;
}

async function runAgent(
  { input, files = {} }: Task,
  install: ReturnType<typeof installed>,
  agent: NonNullable<EnvironmentContext["agent"]>,
): Promise<Choice> {
  const { skills, conversation } = await agent.run({ prompt: input, files, ...install, untilSkill: true });
  return { loaded: skills.loaded, conversation };
}

async function askModel(
  task: Task,
  offers: readonly Offer[],
  { model }: EnvironmentContext,
): Promise<Choice> {
  const system = askWhich(offers, task);
  const reply = await model.generate({ system, messages: [{ role: "user", content: task.input }] });
  const conversation: readonly Message[] = [
    { role: "user", content: task.input },
    { role: "assistant", content: reply.text },
  ];
  const names = offers.map(({ name }) => name);
  return { ...readChoice(reply, names), conversation };
}

/** The order of the skills depends only on the task, so it gives no hint. */
function askWhich(offers: readonly Offer[], task: Task): string {
  const lines = offers.map(({ name, description }) => `- ${name}: ${description}`).toSorted();
  return `You work on requests of a user. Before you begin, you may load one skill: instructions for a certain kind of work. These are the skills, each with its description:

${shuffle(lines, seededRandom("skill-order", taskHash(task))).join("\n")}

Which of them would you load for the request, if any? Do not work on the request itself.

Reply with one JSON object and nothing else: { "skill": "<name>" }, or { "skill": null } to load none.`;
}

function readChoice({ text, finish }: Reply, names: readonly string[]): Omit<Choice, "conversation"> {
  const object = finish === "length" ? null : extractJson(text);
  const named = object?.["skill"];
  if (named === null) return { loaded: [] };
  if (typeof named !== "string")
    return { loaded: [], problem: `The answer ${quote(text)} names no skill, which counts as none.` };
  const name = named.trim();
  if (names.includes(name)) return { loaded: [name] };
  return { loaded: [], problem: `There is no skill ${quote(name)}, which counts as none.` };
}

function judge({ loaded, conversation, problem }: Choice, name: string, wanted: boolean): Outcome {
  const triggered = loaded.includes(name);
  const instead = loaded.length === 0 ? "no skill was loaded" : `${loaded.join(" and ")} was loaded`;
  const should = wanted ? "should be loaded" : "should not be loaded";
  const came = triggered ? "it was loaded" : instead;
  const right = triggered === wanted;
  const feedback = `${right ? "Right" : "Wrong"}: for this request ${name} ${should}, and ${came}.`;
  return {
    kind: "scored",
    hard: right ? 1 : 0,
    soft: right ? 1 : 0,
    feedback: problem === undefined ? feedback : `${feedback} ${problem}`,
    conversation,
    extras: { triggered },
  };
}
