import { type Skill, mainText } from "../../core/skill/skill.ts";
import { type Equipment, installable, rollOutAgent } from "../../core/tasks/agent-environment.ts";
import { answerInWords, joinTexts, missingWorkspace, skillText } from "../../core/tasks/chat-environment.ts";
import type { Environment } from "../../core/tasks/environment.ts";

/** The person's other texts, next to the document that is learned for. */
export interface Beside {
  readonly skills: readonly Skill[];
  /** All standing instructions except the document itself. */
  readonly memory: string;
}

/**
 * Replays a day's task with a document as it would be deployed: the agent decides whether to load a skill by its description,
 * and always reads a memory file. An agent works in its workspace; a plain model answers in words, without tools.
 */
export function replayEnvironment(kind: "skill" | "memory", beside: Beside): Environment {
  return {
    name: "replay",
    version: "1",
    throughContext: true,
    async run(task, document, context) {
      const { agent } = context;
      if (agent !== undefined)
        return rollOutAgent(task, document, equip(kind, document, beside), { ...context, agent });
      return missingWorkspace(task) ?? answerInWords(task, told(document, beside), context);
    },
  };
}

function equip(kind: "skill" | "memory", document: Skill, { skills, memory }: Beside): Equipment {
  const isSkill = kind === "skill" && mainText(document).trim() !== "";
  const instructions = kind === "memory" ? joinTexts([memory, mainText(document)]) : memory;
  return {
    skills: (isSkill ? [document, ...skills] : skills).map(installable),
    ...(instructions.trim() === "" ? {} : { instructions }),
  };
}

/** Memory comes first, as in agents. */
const told = (document: Skill, { skills, memory }: Beside): string =>
  joinTexts([memory, skillText(document), ...skills.map(skillText)]);
