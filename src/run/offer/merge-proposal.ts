import { hashBytes } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { decodeFile, encodeFile, isBinary } from "../../core/files.ts";
import { type Conflict, type Merged, mergeTexts } from "../../core/offer/merge.ts";
import { type Proposal, asNotTested } from "../../core/offer/proposal.ts";
import { spellOut } from "../../report/spell-out.ts";
import { livePath, readLive } from "./live-skill.ts";
import type { OpenedProposal } from "./proposal.ts";

/** Merges a proposal into one changed text; `base` is null if there was no file. */
export type MergeText = (versions: {
  readonly base: string | null;
  readonly live: string;
  readonly proposed: string;
}) => Merged;

export const mergeByLines: MergeText = ({ base, live, proposed }) => mergeTexts(base ?? "", live, proposed);

/**
 * The same proposal for the current live files. Its bytes differ from the tested ones, so it isn't proven. If anything
 * can't be merged without choosing a side, the whole proposal is refused, with the lines.
 */
export function mergeLive(opened: OpenedProposal, mergeText: MergeText): OpenedProposal {
  const { proposal, live } = opened;
  const files = proposal.files.map(({ path }) => {
    const before = readLive(live, path)?.bytes ?? null;
    return { path, before, ...mergeFile(opened, path, before, mergeText) };
  });
  const refused = files.flatMap(({ path, conflicts }) => conflicts.map((what) => ({ path, what })));
  if (refused.length > 0) throw conflicting(opened, refused);
  const versions = new Map(files.map(({ path, before, after }) => [path, { before, after }]));
  const changed: Proposal["files"] = files.flatMap(({ path, before, after }) => {
    const hashes = { live: before && hashBytes(before), proposed: after && hashBytes(after) };
    if (hashes.live === hashes.proposed) return [];
    const op = before === null ? "add" : after === null ? "delete" : "replace";
    return [{ path, op, ...hashes }];
  });
  return {
    live,
    proposal: {
      ...asNotTested(proposal, "It was merged into a text that changed since, and the result wasn't tested."),
      files: changed,
    },
    original: (path) => versions.get(path)?.before ?? null,
    proposed: (path) => versions.get(path)?.after ?? null,
  };
}

interface MergedFile {
  readonly after: Buffer | null;
  /** Why it can't be merged, one text each. */
  readonly conflicts: readonly string[];
}

function mergeFile(
  { original, proposed }: OpenedProposal,
  path: string,
  now: Buffer | null,
  mergeText: MergeText,
): MergedFile {
  const [base, next] = [original(path), proposed(path)];
  if (isEqual(now, base)) return { after: next, conflicts: [] };
  if (isEqual(now, next)) return { after: now, conflicts: [] };
  if (now === null) return { after: null, conflicts: ["was deleted, and the proposal changes it"] };
  if (next === null) return { after: now, conflicts: ["was changed, and the proposal deletes it"] };
  const [before, live, after] = [base, now, next].map((bytes) => (bytes === null ? null : encodeFile(bytes)));
  if ([before, live, after].some((text) => isBinary(text ?? "")))
    return { after: now, conflicts: ["was changed, and isn't text"] };
  const merged = mergeText({ base: before ?? null, live: live ?? "", proposed: after ?? "" });
  return merged.kind === "merged"
    ? { after: Buffer.from(decodeFile(merged.text)), conflicts: [] }
    : { after: now, conflicts: merged.conflicts.map(describeConflict) };
}

const isEqual = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other);

function describeConflict({ line, base, live, proposed, reason }: Conflict): string {
  const side = (name: string, lines: readonly string[]) =>
    (lines.length === 0 ? ["(nothing)"] : lines).map((text) => `    ${name} ${spellOut(text)}`);
  return [
    reason === undefined
      ? `line ${line} was changed, and the proposal changes it too:`
      : `a rule for the block in line ${line} no longer fits, ${reason}:`,
    ...side("was     ", base),
    ...(reason === undefined ? side("is now  ", live) : []),
    ...side("proposed", proposed),
  ].join("\n");
}

function conflicting(
  { proposal, live }: OpenedProposal,
  refused: readonly { readonly path: string; readonly what: string }[],
): WhetstoneError {
  const places = refused.map(({ path, what }) => `\n  ${livePath(live, path)}: ${what}`).join("");
  return new WhetstoneError(
    "live-changed",
    `Run ${proposal.run} can't be merged without choosing a side:${places}`,
    {
      hint: `Nothing was changed. Set those lines to the earlier or the proposed text and merge again, or copy what you want from \`whetstone diff ${proposal.run}\`.`,
    },
  );
}
