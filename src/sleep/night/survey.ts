import { openSources } from "../../adapters/transcripts/sources.ts";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { SleepPlace } from "../place.ts";

/** One agent's conversations of this project. */
export interface Surveyed {
  readonly source: SourceName;
  readonly place: string;
  readonly conversations: number;
  /** When the oldest one last changed, in milliseconds since the epoch. */
  readonly oldest?: number;
  /** Why they couldn't be counted. */
  readonly problem?: string;
}

/** Counts this project's conversations by agent, reading only the part that names their folder. */
export async function surveySources({
  settings,
  project,
  home,
  env,
}: SleepPlace): Promise<readonly Surveyed[]> {
  const found: Surveyed[] = [];
  for (const source of openSources({ home, env, places: settings.places })) {
    const { name, place } = source;
    try {
      const refs = await source.list({ project, since: 0 });
      const oldest = Math.min(...refs.map(({ changedAt }) => changedAt));
      if (refs.length > 0) found.push({ source: name, place, conversations: refs.length, oldest });
    } catch (error) {
      found.push({ source: name, place, conversations: 0, problem: (error as Error).message });
    }
  }
  return found;
}
