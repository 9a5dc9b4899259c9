import type { StepAction } from "../../../core/step-record.ts";
import { oneLine } from "../../../core/one-line.ts";
import type { EndedStep } from "../../../core/step-record.ts";
import { ruleStepWords } from "../../../core/verdict-words.ts";
import { colors } from "./colors.ts";
import { plural, textWidth } from "./format.ts";
import { breakLine } from "./wrap.ts";

export const actionWords: Readonly<Record<StepAction, string>> = {
  accept_new_best: "new best",
  accept: "accepted",
  reject: "rejected",
  return_to_original: "back",
  skip: "skipped",
  undecided: "undecided",
};

/** One finished step: in one line, or broken under itself where the terminal is narrow. */
export function stepLines(
  {
    step,
    action,
    reason,
    edits,
    refused,
    evidence,
  }: Pick<EndedStep, "step" | "action" | "reason" | "edits" | "refused"> &
    Partial<Pick<EndedStep, "evidence">>,
  steps: number,
  columns: number,
): readonly string[] {
  const place = `step ${String(step).padStart(String(steps).length)}/${steps}`;
  const ruleWord = evidence?.rules === undefined ? undefined : ruleStepWords[action];
  const word = (ruleWord ?? actionWords[action]).padEnd(9);
  const mark = action.startsWith("accept") ? colors.green(word) : colors.dim(word);
  const counts = [
    ...(edits > 0 ? [plural(edits, "edit")] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ];
  const text = `${oneLine(reason)}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`;
  const indent = textWidth(place) + word.length + 4;
  const [first = "", ...rest] = breakLine(text, columns - indent);
  return [`${place}  ${mark}  ${first}`, ...rest.map((line) => `${" ".repeat(indent)}${line}`)];
}
