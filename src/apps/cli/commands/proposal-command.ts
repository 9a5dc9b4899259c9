import {
  type AdoptOptions,
  type OneShotChoice,
  type ProposalOptions,
  adopt,
  diff,
  undo,
} from "../../../run/offer/proposals.ts";
import type { RuleChoice } from "../../../core/rules/choose-part.ts";
import { colors } from "../../../show/colors.ts";
import type { Io } from "../../../show/io.ts";

export interface ProposalFlags extends ProposalOptions {
  readonly json: boolean;
}

/** `whetstone diff [run]` */
export async function diffCommand(
  { json, ...options }: ProposalFlags & RuleChoice & OneShotChoice,
  io: Io,
): Promise<void> {
  const { lines, ...found } = await diff(options);
  if (json) io.printJson(found);
  else io.print(lines.map(paintLine).join("\n"));
}

/** `whetstone adopt [run]` */
export async function adoptCommand(
  { json, ...options }: ProposalFlags & AdoptOptions,
  io: Io,
): Promise<void> {
  const { lines, ...adopted } = await adopt(options);
  if (json) io.printJson(adopted);
  else io.print(lines.join("\n"));
}

/** `whetstone undo [run]` */
export async function undoCommand({ json, ...options }: ProposalFlags, io: Io): Promise<void> {
  const { lines, ...undone } = await undo(options);
  if (json) io.printJson(undone);
  else io.print(lines.join("\n"));
}

export function paintLine(line: string): string {
  // a carriage return is part of the line end, and stays beside it
  const [, words = line, end = ""] = /^(.*?)(\r?)$/su.exec(line) ?? [];
  if (line.startsWith("+")) return colors.green(words) + end;
  return line.startsWith("-") ? colors.red(words) + end : line;
}
