import { codingAgents } from "../../adapters/coding-agents/coding-agents.ts";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import type { SleepPlace } from "../place.ts";

/** A text that agents read and nights never write. Nights compare wishes with it. */
export interface OwnMemory {
  readonly name: string;
  readonly readBy: readonly string[];
  readonly text: string;
}

/** These agents' own memory of this project, without secrets. */
export async function readOwnMemories(
  agents: readonly SourceName[],
  { project, home, env, settings: { places } }: SleepPlace,
  redactor: Redactor,
): Promise<readonly OwnMemory[]> {
  const found: OwnMemory[] = [];
  for (const agent of new Set(agents)) {
    const { label, ownMemory } = codingAgents[agent];
    for (const file of ownMemory?.({ home, env }, project, places[agent]) ?? []) {
      const { text } = await redactor.redact(file.text);
      if (text.trim() !== "")
        found.push({ name: `${label}'s own memory (${file.name})`, readBy: [agent], text });
    }
  }
  return found;
}
