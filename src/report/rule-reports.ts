import { estimateTokens } from "../core/work/estimate-tokens.ts";
import type { Edit } from "../core/skill/edit.ts";
import type { Skill } from "../core/skill/skill.ts";
import { readDescription } from "../core/triggers/description.ts";
import type { RuleReport, StepPoint } from "./model.ts";
import type { RunFolder, StepFolder } from "./run-folder.ts";

/** What accepted edits made of the skill, as far as it still stands in the final one (or is still gone). */
export function ruleReports(
  { steps, best, splits }: Pick<RunFolder, "steps" | "best" | "splits">,
  points: readonly StepPoint[],
  baseline: number | undefined,
): readonly RuleReport[] {
  const final = best ?? steps.findLast(({ snapshot }) => snapshot !== undefined)?.snapshot;
  if (final === undefined) return [];
  const known = new Set(splits.train);
  return steps
    .filter(({ action }) => action.startsWith("accept"))
    .flatMap((step) => {
      const before = points.findLast((point) => point.step < step.step)?.incumbent ?? baseline;
      const after = points.find((point) => point.step === step.step)?.incumbent;
      return appliedEdits(step)
        .filter((edit) => isInForce(edit, final))
        .map((edit): RuleReport => {
          const text = (edit.op === "delete" ? edit.target : edit.content)?.trim() ?? "";
          return {
            file: edit.file ?? final.main,
            text,
            tokens: estimateTokens(text),
            op: edit.op,
            step: step.step,
            source: edit.source,
            evidence: edit.evidence.filter((id) => known.size === 0 || known.has(id)),
            before,
            after,
          };
        });
    });
}

/** Reports come in the order of the edits. A whole rewrite has none: then all that was selected went into it. */
const appliedEdits = ({ selected, reports }: StepFolder): readonly Edit[] =>
  selected.filter((_, at) => reports[at]?.applied ?? true);

function isInForce({ op, file, target = "", content = "" }: Edit, final: Skill): boolean {
  const text = textOf(file ?? final.main, final);
  return op === "delete" ? !text.includes(target.trim()) : content.trim() !== "" && holds(text, content);
}

/** On the description track the description is a document of its own. */
const textOf = (file: string, skill: Skill): string =>
  skill.files[file] ?? (file === "description" ? readDescription(skill) : (skill.files[skill.main] ?? ""));

const holds = (text: string, content: string): boolean => flat(text).includes(flat(content));

/** Line ends and indentation are not the rule. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
