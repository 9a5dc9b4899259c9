import type { EventBody } from "../../core/events.ts";

type Trimmed = Extract<EventBody, { type: "request-trimmed" }>;

/** Every rollout reports the fields removed from its requests; a run reports each of them only once per agent. */
export function tellTrimmed(emit: (event: Trimmed) => void): (event: Trimmed) => void {
  const told = new Set<string>();
  return (event) => {
    const removed = event.removed.filter((name) => !told.has(`${event.agent} ${name}`));
    for (const name of removed) told.add(`${event.agent} ${name}`);
    if (removed.length > 0) emit({ ...event, removed });
  };
}
