import { plural } from "./plural.ts";
import type { EditReport, EditStatus } from "./skill/apply-edits.ts";
import type { EndedStep } from "./step-record.ts";

/** Counts the edits a step applied and refused. */
export function countEdits(
  reports: readonly Pick<EditReport, "applied" | "status">[],
): Pick<EndedStep, "edits" | "refused" | "refusals"> {
  const refusals: Record<string, number> = {};
  for (const { applied, status } of reports) if (!applied) refusals[status] = (refusals[status] ?? 0) + 1;
  const refused = reports.filter(({ applied }) => !applied).length;
  return { edits: reports.length - refused, refused, ...(refused === 0 ? {} : { refusals }) };
}

/** Adds the edit counts to a step's reason: `no edit could be applied (2 edits refused: already in the skill)`. */
export function stepText({
  reason,
  edits,
  refused,
  refusals,
}: Pick<EndedStep, "reason" | "edits" | "refused" | "refusals">): string {
  const counts = [
    ...(edits > 0 ? [plural(edits, "edit")] : []),
    ...(refused > 0
      ? [`${edits > 0 ? refused : plural(refused, "edit")} refused${whyRefused(refusals)}`]
      : []),
  ];
  return counts.length === 0 ? reason : `${reason} (${counts.join(", ")})`;
}

/** Lists the reasons, with counts if there are several. */
function whyRefused(refusals: EndedStep["refusals"] = {}): string {
  const counts = new Map<string, number>();
  for (const [status, count] of Object.entries(refusals)) {
    const words = refusalWords[status as keyof typeof refusalWords] ?? "not applied";
    counts.set(words, (counts.get(words) ?? 0) + count);
  }
  const named = [...counts].map(([words, count]) => (counts.size === 1 ? words : `${count} ${words}`));
  return named.length === 0 ? "" : `: ${named.join(", ")}`;
}

const refusalWords: Readonly<Record<Exclude<EditStatus, `applied_${string}`>, string>> = {
  skipped_already_there: "already in the skill",
  skipped_unknown_op: "unknown kind of edit",
  skipped_replace_missing_target: "no target",
  skipped_delete_missing_target: "no target",
  skipped_replace_target_not_found: "target not in the skill",
  skipped_delete_target_not_found: "target not in the skill",
  refused_ambiguous_target: "target found more than once",
  refused_binary: "not a text file",
  refused_empty: "empty",
  refused_leak: "contains a task's answer",
  refused_contract: "against the required output",
  refused_description: "unusable as a description",
  refused_forged_marker: "in a protected part",
  refused_protected_region: "in a protected part",
  refused_frontmatter: "in the frontmatter",
  refused_hidden_characters: "hidden characters",
  refused_script: "in a script",
  refused_too_large: "over the size limit",
  refused_torn_block: "would break the Markdown",
  refused_unknown_file: "file not in the skill",
  failed: "failed",
};
