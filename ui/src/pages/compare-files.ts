import type { RunReport } from "../../../src/report/model.ts";

export interface FileChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed" | "same";
  /** Empty if the file doesn't exist. */
  readonly before: string;
  readonly after: string;
}

export type ChangedFile = Pick<FileChange, "path" | "before" | "after">;

/** The files that a run changes: those of its proposal, or else of its best version. */
export function changedFiles({ overview, proposal, versions }: RunReport): readonly ChangedFile[] {
  if (proposal !== undefined) return proposal.files;
  const best = versions.find(({ isBest }) => isBest);
  if (best === undefined || overview.status !== "done") return [];
  return compareFiles(versions[0]?.files ?? {}, best.files).filter(({ change }) => change !== "same");
}

type Texts = Readonly<Record<string, string>>;

/** The files of two versions: `SKILL.md` first, then those that changed, each by name. */
export function compareFiles(before: Texts, after: Texts): readonly FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths
    .map((path) => ({
      path,
      change: changeOf(before[path], after[path]),
      before: before[path] ?? "",
      after: after[path] ?? "",
    }))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
}

function changeOf(before: string | undefined, after: string | undefined): FileChange["change"] {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  return before === after ? "same" : "changed";
}

const rankOf = ({ path, change }: FileChange): number =>
  path === "SKILL.md" ? 0 : change === "same" ? 2 : 1;
