import { type FilePower, findFilePowers } from "../core/proposal/find-file-powers.ts";
import type { OpenedProposal } from "./proposal.ts";

/** What a proposal would let an agent do that the live text does not; each must be acknowledged before it is adopted. */
export function powersOf({ proposal, original, proposed }: OpenedProposal): readonly FilePower[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const read = (bytes: Buffer | null) => (bytes === null ? null : decoder.decode(bytes));
  return findFilePowers(
    proposal.files.map(({ path }) => ({ path, before: read(original(path)), after: read(proposed(path)) })),
  );
}
