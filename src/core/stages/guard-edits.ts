import { isBinary } from "../files.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { describeLeak, findLeak } from "../guard/leak.ts";
import { violatesContract } from "../guard/output-contract.ts";
import type { EditReport } from "../skill/apply-edits.ts";
import type { Edit } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";

export interface GuardInput {
  readonly skill: Skill;
  readonly leaks: LeakIndex;
  /** The output contracts of the tasks. */
  readonly contracts: readonly string[];
}

export interface GuardedEdits {
  readonly kept: readonly Edit[];
  readonly refused: readonly { readonly edit: Edit; readonly report: EditReport }[];
}

/** Refuses edits that copy checks or answers, or that break a task's output contract. */
export function guardEdits(edits: readonly Edit[], { skill, leaks, contracts }: GuardInput): GuardedEdits {
  const kept: Edit[] = [];
  const refused: { edit: Edit; report: EditReport }[] = [];
  for (const edit of edits) {
    const reason = refusal(edit.content ?? "", { skill, leaks, contracts });
    if (reason === undefined) kept.push(edit);
    else {
      const { op, file = skill.main } = edit;
      refused.push({ edit, report: { op, file, applied: false, ...reason } });
    }
  }
  return { kept, refused };
}

/** Why a text may not enter the skill, or undefined. */
export function refusal(
  content: string,
  { skill, leaks, contracts }: GuardInput,
): Pick<EditReport, "status" | "detail"> | undefined {
  const leak = findLeak(content, leaks, knownText(skill));
  if (leak !== undefined) return { status: "refused_leak", detail: describeLeak(leak) };
  const broken = violatesContract(content, contracts);
  if (broken !== undefined) return { status: "refused_contract", detail: broken };
  return undefined;
}

/** The whole text of the skill: what one file contains isn't secret in another. */
const knownText = (skill: Skill): string =>
  Object.values(skill.files)
    .filter((content) => !isBinary(content))
    .join("\n");
