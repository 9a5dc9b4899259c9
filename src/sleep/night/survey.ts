import { openSources } from "../../adapters/transcripts/sources.ts";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { SleepPlace } from "../place.ts";

/** What one agent has of this project. */
export interface Surveyed {
  readonly source: SourceName;
  readonly place: string;
  readonly conversations: number;
  /** When the oldest of them changed last, in milliseconds since the epoch. */
  readonly oldest?: number;
  /** Why it cannot be said. */
  readonly problem?: string;
}

/** How many conversations of this project there are, by agent. None of them is opened beyond what names its folder. */
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
