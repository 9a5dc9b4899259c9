import { coverAgents, unservedBy } from "./agent-files.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { Wish } from "../wishes/wish.ts";

/** The tasks for each document, by its id. Every document has an entry, even an empty one. */
export function routeTasks<Mined extends MinedTask>(
  tasks: readonly Mined[],
  documents: readonly Document[],
): ReadonlyMap<string, readonly Mined[]> {
  const routed = new Map<string, Mined[]>(documents.map(({ id }) => [id, []]));
  for (const task of tasks) routed.get(documentOf(task, documents)?.id ?? "")?.push(task);
  return routed;
}

/**
 * The used skill, if exactly one has that name and the task's scope; else the memory of that scope. So a project's rule never
 * goes into a text that applies everywhere, nor a personal habit into a shared one.
 */
export function documentOf(
  { skill, scope }: Pick<MinedTask, "skill" | "scope">,
  documents: readonly Document[],
): Document | undefined {
  const own = documents.filter((document) => document.scope === scope);
  const name = skill?.slice(skill.lastIndexOf(":") + 1);
  const skills = documents.filter((document) => document.kind === "skill" && document.name === name);
  const [used] = skills.length === 1 ? own.filter((document) => skills.includes(document)) : [];
  return used ?? own.find(({ kind }) => kind === "memory");
}

/**
 * The documents for a rule that was told to these agents: the used skill, or else a small set of files that they all read. Files
 * of other agents are added if a person allowed them by name, unless those agents read the rule anyway.
 */
export function documentsOf(
  told: Pick<MinedTask, "skill" | "scope"> & { readonly agents: readonly string[] },
  documents: readonly Document[],
): readonly Document[] {
  const first = documentOf(told, documents);
  if (first?.kind !== "memory") return first === undefined ? [] : [first];
  const memories = documents.filter(({ kind, scope }) => kind === "memory" && scope === told.scope);
  const read = coverAgents(told.agents, (agent) =>
    memories.filter(({ readBy = [] }) => readBy.includes(agent)).map(({ id }) => id),
  );
  const chosen = memories.filter(({ id }) => read.includes(id));
  const covering = chosen.length === 0 ? [first] : chosen;
  const allowed = memories.filter((one) => one.isAllowed === true && !covering.includes(one));
  return [...covering, ...unservedBy(covering, allowed)];
}

/**
 * Adds tonight's documents to the wishes: the ones that the agents in use read. Earlier documents stay.
 */
export const routeWishes = (
  wishes: readonly Wish[],
  documents: readonly Document[],
  inUse: readonly string[],
): readonly Wish[] =>
  wishes.map((wish) => {
    const agents = [...new Set([...wish.said.map(({ agent }) => agent), ...inUse])];
    const { skill: _skill, ...told } = wish;
    // agents broke two wordings of it, so it also goes into memory: not every conversation reads a skill
    const isEverywhere = (wish.relapsed ?? []).length > 1;
    const found = documentsOf({ ...(isEverywhere ? told : wish), agents }, documents).map(({ id }) => id);
    return found.every((id) => wish.documents.includes(id))
      ? wish
      : { ...wish, documents: [...new Set([...wish.documents, ...found])] };
  });
