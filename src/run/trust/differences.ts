import type { Destinations } from "../../config/find-destinations.ts";

/** What would be sent beyond what a person has named, in words. */
export function newDestinations(sends: Destinations, allowed: Destinations): readonly string[] {
  return Object.entries(sends).flatMap(([host, variables]) => {
    const known = Object.hasOwn(allowed, host) ? (allowed[host] ?? []) : undefined;
    if (known === undefined) return [sendText(host, variables)];
    const added = variables.filter((variable) => !known.includes(variable));
    return added.length === 0 ? [] : [sendText(host, added)];
  });
}

export const sendText = (host: string, variables: readonly string[]): string =>
  `sending to ${host}${variables.length === 0 ? "" : ` with ${variables.join(" and ")}`}`;
