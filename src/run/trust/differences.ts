import { isAbsolute } from "node:path";
import { hashBytes } from "../../core/canonical.ts";
import type { Destinations } from "../../config/trust/find-destinations.ts";
import { readIfThere } from "../offer/live-skill.ts";
import type { Trust } from "./memory.ts";
import { own } from "../../core/own.ts";

/** Destinations that a person hasn't named, in words. */
export function newDestinations(sends: Destinations, allowed: Destinations): readonly string[] {
  return Object.entries(sends).flatMap(([host, variables]) => {
    const known = own(allowed, host);
    if (known === undefined) return [sendText(host, variables)];
    const added = variables.filter((variable) => !known.includes(variable));
    return added.length === 0 ? [] : [sendText(host, added)];
  });
}

/** A journal's folder is read and trusted; a host is sent data. */
export const sendText = (host: string, variables: readonly string[]): string =>
  isAbsolute(host)
    ? `reading the journal in ${host}`
    : `sending to ${host}${variables.length === 0 ? "" : ` with ${variables.join(" and ")}`}`;

export type FileState = "same" | "changed" | "gone";

/** The state of the files that a person allowed; none of them runs. */
export function stateOfFiles({ files }: Pick<Trust, "files">): Readonly<Record<string, FileState>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, hash]) => {
      const bytes = readIfThere(path);
      if (bytes === undefined) return [path, "gone"];
      return [path, hashBytes(bytes) === hash ? "same" : "changed"];
    }),
  );
}
