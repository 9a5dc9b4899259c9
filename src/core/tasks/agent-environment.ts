import { WhetstoneError } from "../errors.ts";
import { isBinary } from "../files.ts";
import type { AgentRun, InstalledSkill } from "../ports/agent.ts";
import type { Performance } from "../scorers/performance.ts";
import { readFrontmatter } from "../skill/frontmatter.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { AgentTask, Environment, EnvironmentContext } from "./environment.ts";
import type { Invalid, Scored } from "./outcome.ts";
import type { Task } from "./task.ts";

/** Runs an agent once on a task in its workspace, and scores it by the task's own answers or checks. */
export function agentEnvironment(neighbours: readonly Skill[] = []): Environment {
  return {
    name: "agent",
    version: "1",
    throughContext: true,
    async run(task, skill, context) {
      if (context.agent === undefined) return { kind: "invalid", reason: "the target isn't an agent" };
      return rollOutAgent(task, skill, installed(skill, neighbours), { ...context, agent: context.agent });
    },
  };
}

/** The skills and standing instructions that an agent gets for a task. */
export type Equipment = Pick<AgentTask, "skills" | "instructions">;

/** Runs the agent once with this equipment, in which `skill` is being tested, and scores the result. */
export async function rollOutAgent(
  task: Task,
  skill: Skill,
  equipment: Equipment,
  { agent, score: scoreBy }: Required<Pick<EnvironmentContext, "agent" | "score">>,
): Promise<Scored | Invalid> {
  const { files = {}, checkout, before } = task;
  const start = { files, checkout };
  try {
    const said = before === undefined ? {} : { before };
    const run = await agent.run({ prompt: promptFor(task), ...said, ...start, ...equipment });
    const skillsInstalled = (equipment.skills ?? []).map(({ name }) => name);
    const score = await scoreBy(task, { ...performanceOf(run, start), skillsInstalled });
    if ("kind" in score) return score;
    return {
      ...performed(run, skill),
      ...score,
      feedback: [score.feedback, ...remarks(run, skill)].join(" "),
    };
  } catch (error) {
    // only this task's commit is unknown, so the others continue
    if (checkout === undefined || !(error instanceof WhetstoneError && error.code === "tasks-invalid"))
      throw error;
    return { kind: "invalid", reason: error.message };
  }
}

/** Installs a SKILL.md in the agent's folder for skills; any other file becomes its standing instructions. */
export function installed(
  skill: Skill,
  neighbours: readonly Skill[],
): { readonly skills: readonly InstalledSkill[]; readonly instructions?: string } {
  const beside = neighbours.map(installable);
  if (mainText(skill).trim() === "") return { skills: beside };
  if (skill.main !== "SKILL.md") return { skills: beside, instructions: mainText(skill) };
  return { skills: [installable(skill), ...beside] };
}

/** The skill's name for the agent. */
export function installedName(skill: Skill): string {
  const read = readFrontmatter(mainText(skill));
  const name = "fields" in read ? read.fields["name"] : undefined;
  return typeof name === "string" ? name : "skill";
}

export const installable = (skill: Skill): InstalledSkill => ({
  name: installedName(skill),
  files: skill.files,
  executable: skill.executable ?? [],
});

const promptFor = ({ input, system }: Task): string =>
  system === undefined || system.trim() === "" ? input : `${input}\n\n${system}`;

/** The agent's answer and actions, and the workspace as it left it. */
function performanceOf(
  { text, conversation, toolCalls, changed, skills }: AgentRun,
  { files: before, checkout }: Pick<AgentTask, "files" | "checkout">,
): Performance {
  const files: Record<string, string> = { ...before };
  const deleted: string[] = [];
  for (const [path, content] of Object.entries(changed)) {
    if (content !== null) files[path] = content;
    else {
      delete files[path];
      deleted.push(path);
    }
  }
  const gone = checkout === undefined ? {} : { deleted };
  return { text, conversation, toolCalls, files, ...gone, skillsLoaded: skills.loaded };
}

function performed(run: AgentRun, skill: Skill): Pick<Scored, "kind" | "conversation" | "extras"> {
  return {
    kind: "scored",
    conversation: run.conversation,
    extras: {
      ended: run.ended,
      skill: installedName(skill),
      offered: [...run.skills.offered],
      loaded: [...run.skills.loaded],
      tools: run.toolCalls.map(({ name }) => name),
      changed: Object.keys(run.changed).toSorted(),
      written: writtenFiles(run.changed),
      calls: run.calls,
    },
  };
}

/** How many of the agent's files people see, and how much of each. */
const [mostFiles, mostCharacters] = [20, 4000];

/** The beginning of each file as the agent left it; null if the agent deleted it. */
function writtenFiles(changed: AgentRun["changed"]): Readonly<Record<string, string | null>> {
  const shown = Object.entries(changed).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(shown.slice(0, mostFiles).map(([path, content]) => [path, beginningOf(content)]));
}

function beginningOf(content: string | null): string | null {
  if (content === null) return null;
  if (isBinary(content)) return "(not text)";
  if (content.length <= mostCharacters) return content;
  const left = content.length - mostCharacters;
  return `${content.slice(0, mostCharacters)}\n… ${left} more characters`;
}

/** Facts that the analyst should know in addition to the score. */
function remarks(run: AgentRun, skill: Skill): readonly string[] {
  const isSkill = skill.main === "SKILL.md" && mainText(skill).trim() !== "";
  return [
    ...(run.ended === "done" ? [] : [`The agent did not finish: ${endings[run.ended]}.`]),
    ...(isSkill && !run.skills.loaded.includes(installedName(skill))
      ? ["The agent did not load the skill."]
      : []),
  ];
}

const endings: Readonly<Record<Exclude<AgentRun["ended"], "done">, string>> = {
  length: "its answer was cut off at the token limit",
  turns: "it used all its turns",
  calls: "it used all its model calls",
  tokens: "it used all its tokens",
  time: "it ran out of time",
  memory: "it used too much memory",
  processes: "it started too many processes",
  disk: "it wrote too much",
  refused: "the model declined",
};
