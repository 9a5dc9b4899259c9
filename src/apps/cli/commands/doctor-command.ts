import { colors } from "../show/colors.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { runDoctor } from "../../../run/doctor/doctor.ts";
import { flat, plural } from "../show/format.ts";
import type { Io } from "../io.ts";
import { type RunFlags, readConfig } from "../read-config.ts";

/** `whetstone doctor` */
export async function doctorCommand(
  { call, measure, ...flags }: RunFlags & { readonly call: boolean; readonly measure: boolean },
  io: Io,
): Promise<void> {
  const config = await readConfig(flags, io);
  let failed = 0;
  for await (const found of runDoctor(config, { cwd: io.cwd, call, measure, signal: io.signal })) {
    if (io.signal.aborted) break;
    if (found.status === "fail") failed += 1;
    if (flags.json) {
      io.printJson(found);
      continue;
    }
    const { about, status, text, code, next } = found;
    io.print(flat(`${marks[status]}  ${about.padEnd(16)} ${code === undefined ? "" : `${code}: `}${text}`));
    if (next !== undefined) io.print(flat(colors.dim(`      next: ${next}`)));
  }
  if (io.signal.aborted) {
    throw new WhetstoneError("interrupted", "Stopped as you asked, before every model had answered.", {
      hint: "Give a slow server more time, or leave its call out with --no-call.",
    });
  }
  if (failed === 0) return;
  throw new WhetstoneError("failed", `${plural(failed, "check")} failed.`, {
    hint: "Follow the lines above.",
  });
}

const marks = { ok: colors.green("ok  "), warn: colors.yellow("warn"), fail: colors.red("fail") } as const;
