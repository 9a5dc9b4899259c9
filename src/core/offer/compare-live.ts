import type { Proposal } from "./proposal.ts";

/** How the live files relate to a proposal. */
export type LiveState =
  /** Nothing has changed since the run began, except for the `moved` among the files that stay. */
  | { readonly kind: "ready"; readonly moved: readonly string[] }
  | { readonly kind: "adopted" }
  | { readonly kind: "changed"; readonly files: readonly ChangedFile[] };

export interface ChangedFile {
  readonly path: string;
  /** Its change, as a phrase after its name. */
  readonly what: string;
}

/** Compares by hash; `hashOf` returns null for a missing file. */
export function compareLive(proposal: Proposal, hashOf: (path: string) => string | null): LiveState {
  const files = proposal.files.map((file) => ({ ...file, now: hashOf(file.path) }));
  if (files.every(({ now, proposed }) => now === proposed)) return { kind: "adopted" };
  const changed = files.filter(({ now, live }) => now !== live);
  if (changed.length === 0) {
    const moved = proposal.kept.filter(({ path, hash }) => hashOf(path) !== hash);
    return { kind: "ready", moved: moved.map(({ path }) => path) };
  }
  return {
    kind: "changed",
    files: changed.map(({ path, live, now, proposed }) => ({ path, what: describe(live, now, proposed) })),
  };
}

function describe(live: string | null, now: string | null, proposed: string | null): string {
  if (now === proposed) return "already matches the proposal, but others don't";
  if (live === null) return "was created";
  return now === null ? "was deleted" : "was changed";
}
