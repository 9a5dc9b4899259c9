import { errorEntries } from "../../../core/error-entries.ts";
import { type ErrorCode, WhetstoneError, exitCodes } from "../../../core/errors.ts";
import { nearestWord } from "../../../core/nearest-word.ts";
import type { Io } from "../../../show/io.ts";
import { pad, wrap, colors } from "../../../show/format.ts";

const codes = Object.keys(errorEntries) as readonly ErrorCode[];

/** `whetstone explain [code]`; a number is an exit code, which several errors may share. */
export function explainCommand(asked: string | undefined, json: boolean, io: Io): void {
  const found = codes.filter(
    (code) => asked === undefined || [code, String(exitCodes[code])].includes(asked),
  );
  if (found.length === 0) throw unknownCode(asked ?? "");
  if (json) io.printJson(found.map((code) => ({ code, exitCode: exitCodes[code], ...errorEntries[code] })));
  else io.print(found.flatMap((code) => linesOf(code, found.length > 1, io)).join("\n"));
}

function linesOf(code: ErrorCode, isOneOfMany: boolean, { columns }: Io): readonly string[] {
  const { means, why, todo } = errorEntries[code];
  if (isOneOfMany)
    return wrap(means, columns, " ".repeat(22)).map((line, at) =>
      at === 0 ? pad(code, 22) + line.trim() : line,
    );
  const part = (name: string, text: string) => [
    "",
    ...wrap(text, columns, " ".repeat(8)).map((line, at) => (at === 0 ? pad(name, 8) + line.trim() : line)),
  ];
  return [
    `${colors.bold(code)}, exit code ${exitCodes[code]}`,
    ...part("means", means),
    ...part("why", why),
    ...part("to do", todo),
  ];
}

function unknownCode(asked: string): WhetstoneError {
  const near = new Set([nearestWord(asked, codes), ...codes.filter((code) => shareWord(code, asked))]);
  const named = [...near].filter((code) => code !== undefined).slice(0, 4);
  return new WhetstoneError("usage", `Unknown error code "${asked}".`, {
    hint: named.length === 0 ? "`whetstone explain` lists all codes." : `Did you mean ${named.join(", ")}?`,
  });
}

const longWords = (text: string) => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];

const shareWord = (code: string, asked: string): boolean =>
  longWords(code).some((word) => longWords(asked).some((one) => one === word));
