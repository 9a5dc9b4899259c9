import { plural, breakLine, colors } from "../../../show/format.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { runDoctor } from "../../../run/doctor/doctor.ts";
import type { Finding } from "../../../run/doctor/finding.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, readConfig } from "../read-config.ts";

/** `whetstone doctor` */
export async function doctorCommand(
  { call, measure, ...flags }: RunFlags & { readonly call: boolean; readonly measure: boolean },
  io: Io,
): Promise<void> {
  const config = await readConfig(flags, io);
  let failed = 0;
  const onWait = (what: string) => io.show([colors.dim(`asking ${what} …`)]);
  for await (const found of runDoctor(config, { cwd: io.cwd, call, measure, signal: io.signal, onWait })) {
    io.show([]);
    if (io.signal.aborted) break;
    if (found.status === "fail") failed += 1;
    if (flags.json) {
      io.printJson(found);
      continue;
    }
    io.print(findingLines(found, io.lineLimit).join("\n"));
  }
  if (io.signal.aborted) {
    throw new WhetstoneError("interrupted", "Stopped as you asked, before every model had answered.", {
      hint: "Give a slow server more time, or skip the calls with --no-call.",
    });
  }
  if (failed === 0) return;
  throw new WhetstoneError("failed", `${plural(failed, "check")} failed.`, {
    hint: "Fix the problems listed above.",
  });
}

/** The finding next to its subject, with the next step below. Long ones continue on further lines. */
export function findingLines(
  { about, status, text, code, next }: Finding,
  columns: number,
): readonly string[] {
  const said = breakLine(`${code === undefined ? "" : `${code}: `}${text}`, columns - 23);
  const todo = next === undefined ? [] : breakLine(`next: ${next}`, columns - 8);
  return [
    ...said.map((line, at) =>
      at === 0 ? `${marks[status]}  ${about.padEnd(16)} ${line}` : `${" ".repeat(23)}${line}`,
    ),
    ...todo.map((line, at) => colors.dim(`${" ".repeat(at === 0 ? 6 : 8)}${line}`)),
  ];
}

const marks = { ok: colors.green("ok  "), warn: colors.yellow("warn"), fail: colors.red("fail") } as const;
