import { powerNames } from "../../core/guard/power.ts";
import { powersLookedAt } from "../../core/offer/looked-at.ts";
import { type FilePower, findFilePowers, isProse } from "../../core/offer/find-file-powers.ts";
import type { NewPower } from "../../report/model.ts";
import { remindersFile } from "../../core/reminders/reminder.ts";
import type { OpenedProposal } from "./proposal.ts";

/** Powers that a proposal would give an agent and the live text doesn't; those above a note must be acknowledged. */
export function powersOf({ proposal, original, proposed }: OpenedProposal): readonly FilePower[] {
  // a reminder only lets an agent do less
  if (proposal.main === remindersFile) return [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const read = (bytes: Buffer | null) => (bytes === null ? null : decoder.decode(bytes));
  const files = proposal.files.map(({ path }) => ({
    path,
    before: read(original(path)),
    after: read(proposed(path)),
  }));
  const found = findFilePowers(files);
  const looked = [...(proposal.rules ?? []).flatMap((rule) => rule.looked ?? []), ...(proposal.looked ?? [])];
  const asked = files.flatMap(({ path, before, after }) => {
    const exact = found.filter((power) => power.path === path);
    const powers = isProse(path) ? powersLookedAt(before ?? "", after ?? "", looked, exact) : [];
    return powers.map((power) => ({ ...power, path }));
  });
  return [...new Map([...found, ...asked].map((power) => [power.id, power])).values()];
}

/** The same for people to look at. */
export const newPowers = (opened: OpenedProposal): readonly NewPower[] =>
  powersOf(opened).map(({ id, kind, rank, item, path, line }) => ({
    id,
    rank,
    does: powerNames[kind],
    item,
    path,
    line,
  }));
