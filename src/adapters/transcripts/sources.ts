import { isAbsolute } from "node:path";
import { type SourceName, sourceNames } from "../../core/ports/conversation.ts";
import type { TranscriptSource } from "../../core/ports/transcripts.ts";
import type { AgentHost } from "../coding-agents/coding-agent.ts";
import { codingAgents } from "../coding-agents/coding-agents.ts";

export interface SourceOptions extends AgentHost {
  /** Unusual locations, each as the agent's own variable would give it. */
  readonly places?: Readonly<Partial<Record<SourceName, string>>>;
}

/** The conversations of these agents, or of all, in a fixed order. Nothing is read yet. */
export function openSources(
  { places = {}, ...host }: SourceOptions,
  names: readonly SourceName[] = sourceNames,
): readonly TranscriptSource[] {
  return sourceNames
    .filter((name) => names.includes(name))
    .map((name) => {
      const place = places[name];
      const given = place !== undefined && isAbsolute(place) ? place : undefined;
      return codingAgents[name].transcripts(host, given);
    });
}
