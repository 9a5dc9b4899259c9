import { oneLine } from "../core/one-line.ts";
import { stepText } from "../core/refusal-words.ts";
import type { EndedStep } from "../core/step-record.ts";
import { stepLook } from "../core/verdict-words.ts";
import type { Json } from "../core/json.ts";
import { isRulesGate } from "../report/measured-rules.ts";
import type { TurnEnd } from "../report/run-state.ts";
import { textWidth, breakLine, colors } from "./format.ts";

/** One finished step, in one line; wrapped below itself if the terminal is narrow. */
export function stepLines(
  {
    step,
    action,
    evidence,
    ...counts
  }: Pick<EndedStep, "step" | "action" | "reason" | "edits" | "refused" | "refusals"> &
    Partial<Pick<EndedStep, "evidence">>,
  steps: number,
  columns: number,
): readonly string[] {
  const place = `step ${String(step).padStart(String(steps).length)}/${steps}`;
  const text = oneLine(stepText(counts));
  const { word } = stepLook(action, evidence?.rules !== undefined);
  return markedLines(place, { word, isNew: action.startsWith("accept") }, text, columns);
}

/** Changes outside of steps: guidance at the end of an epoch, and why the search ended. */
export function turnLines(
  { turn, epoch, action, reason }: TurnEnd,
  settings: Json,
  columns: number,
): readonly string[] {
  if (turn === "end") return breakLine(oneLine(reason), columns);
  const isNew = action.startsWith("accept");
  const { word } = stepLook(action, isRulesGate(settings));
  return markedLines(`guidance of epoch ${epoch}`, { word, isNew }, oneLine(reason), columns);
}

function markedLines(
  place: string,
  { word, isNew }: { readonly word: string; readonly isNew: boolean },
  text: string,
  columns: number,
): readonly string[] {
  const padded = word.padEnd(9);
  const mark = isNew ? colors.green(padded) : colors.dim(padded);
  const indent = textWidth(place) + padded.length + 4;
  const [first = "", ...rest] = breakLine(text, columns - indent);
  return [`${place}  ${mark}  ${first}`, ...rest.map((line) => `${" ".repeat(indent)}${line}`)];
}
