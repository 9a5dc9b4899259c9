import type { Config } from "../../../config/schema.ts";
import type { SplitName } from "../../../core/tasks/task.ts";
import { evaluate } from "../../../run/verbs/evaluate.ts";
import { train } from "../../../run/verbs/train.ts";
import type { Io } from "../../../show/io.ts";
import { type ResultPlace, evaluatedLines, trainedLines } from "../../../show/print-result.ts";
import { type RunFlags, readConfig } from "../read-config.ts";
import { openRunView } from "../../../show/run-view.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { wrap } from "../../../show/format.ts";

/** `whetstone train [skill]` */
export async function trainCommand(flags: RunFlags, io: Io): Promise<void> {
  const config = await readConfig(flags, io);
  const run = await watched(config, flags.json, io, (hooks) => train({ ...config, ...hooks }));
  printEnd(trainedLines(run, resultPlace(io)), flags, io);
}

/** `whetstone eval [skill]` */
export async function evalCommand(flags: RunFlags & { readonly on: SplitName }, io: Io): Promise<void> {
  const config = await readConfig(flags, io);
  const run = await watched(config, flags.json, io, (hooks) =>
    evaluate({ ...config, on: flags.on, ...hooks }),
  );
  printEnd(evaluatedLines(run, resultPlace(io)), flags, io);
}

/** Prints a run's result. Its next steps don't know about a journal that only a flag named, so this says it. */
export function printEnd(lines: readonly string[], { json, given }: RunFlags, io: Io): void {
  if (json) return;
  const place = "These commands need the same --journal. Set `journal` in the config to use it everywhere.";
  io.print(
    ["", ...lines, ...(given.journal === undefined ? [] : wrap(place, io.lineLimit, "  "))].join("\n"),
  );
}

type Hooks = Pick<Parameters<typeof train>[0], "cwd" | "signal" | "onEvent" | "onGuess" | "onNote">;

/** A run with its progress on the screen. */
export async function watched<T>(
  config: Config,
  json: boolean,
  io: Io,
  run: (hooks: Hooks) => Promise<T>,
): Promise<T> {
  const view = openRunView(io, { json, verbose: config.verbose ?? false });
  try {
    const { onEvent, onGuess, onNote } = view;
    return await run({ cwd: io.cwd, signal: io.signal, onEvent, onGuess, onNote });
  } finally {
    view.close();
  }
}

export const resultPlace = ({ cwd, lineLimit, rows }: Io): ResultPlace => ({
  shown: shownFrom(cwd),
  columns: lineLimit,
  rows: Number.isFinite(lineLimit) ? rows : Number.POSITIVE_INFINITY,
});
