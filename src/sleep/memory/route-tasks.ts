import { coverAgents, unservedBy } from "./agent-files.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { Wish } from "../wishes/wish.ts";

/** Which tasks teach which document, by its id; every document has an entry, also an empty one. */
export function routeTasks<Mined extends MinedTask>(
  tasks: readonly Mined[],
  documents: readonly Document[],
): ReadonlyMap<string, readonly Mined[]> {
  const routed = new Map<string, Mined[]>(documents.map(({ id }) => [id, []]));
  for (const task of tasks) routed.get(documentOf(task, documents)?.id ?? "")?.push(task);
  return routed;
}

/**
 * The skill that was used, where there is exactly one of that name and it is of the task's scope; else the memory of that
 * scope. What belongs to a project never goes into a text that holds everywhere, nor a personal habit into a shared one.
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
 * The documents that a rule goes into which was told to these agents: the skill that was used, else what each of them reads,
 * few files for all; and files of other agents that a person allowed by name, unless they read it anyway.
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
 * Wishes with the documents of tonight that they belong into: what the agents in use read. What they belonged into before stays.
 */
export const routeWishes = (
  wishes: readonly Wish[],
  documents: readonly Document[],
  inUse: readonly string[],
): readonly Wish[] =>
  wishes.map((wish) => {
    const agents = [...new Set([...wish.said.map(({ agent }) => agent), ...inUse])];
    const { skill: _skill, ...told } = wish;
    // agents broke it twice in other words: not every conversation reads a skill
    const isEverywhere = (wish.relapsed ?? []).length > 1;
    const found = documentsOf({ ...(isEverywhere ? told : wish), agents }, documents).map(({ id }) => id);
    return found.every((id) => wish.documents.includes(id))
      ? wish
      : { ...wish, documents: [...new Set([...wish.documents, ...found])] };
  });
