import type { Proposal } from "./proposal.ts";

/** How the live files stand to a proposal. */
export type LiveState =
  /** Nothing has been touched since the run began, but for the `moved` among the files that stay. */
  | { readonly kind: "ready"; readonly moved: readonly string[] }
  | { readonly kind: "adopted" }
  | { readonly kind: "changed"; readonly files: readonly ChangedFile[] };

export interface ChangedFile {
  readonly path: string;
  /** What happened to it, to follow its name. */
  readonly what: string;
}

/** Compares by hash; `hashOf` gives null where there is no file. */
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
  if (now === proposed) return "already is as proposed, while others are not";
  if (live === null) return "was made";
  return now === null ? "was deleted" : "was changed";
}
