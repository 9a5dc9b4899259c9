import { posix, win32 } from "node:path";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { TimerJob } from "../../core/ports/timer.ts";
import { isTimeOfDay } from "../memory/nightly-time.ts";

/** Refuses a job that no timer of that system could store unchanged. */
export function checkJob({ project, at, argv, log }: TimerJob, system: "posix" | "windows" = "posix"): void {
  const path = system === "windows" ? win32 : posix;
  if (!isTimeOfDay(at))
    throw new WhetstoneError("usage", `"${at}" isn't a time of day.`, {
      hint: "Write it as HH:MM, such as 03:17.",
    });
  for (const word of [project, log, argv[0] ?? ""])
    if (!path.isAbsolute(word)) throw refused(`"${word}" isn't an absolute path`);
  for (const word of [project, log, ...argv])
    if (controlCharacters.test(word))
      throw refused("the command contains a line break or a control character");
}

export const refused = (why: string): WhetstoneError =>
  timerFailed(
    `This can't be scheduled: ${why}.`,
    "Nothing was changed. Remove it from the command, or move the folder.",
  );

export const timerFailed = (sentence: string, hint: string): WhetstoneError =>
  new WhetstoneError("timer-failed", sentence, { hint });

/** Names a project's job in places that can't contain a path. */
export const jobKey = (project: string): string => hashText(project).slice(0, 12);

// oxlint-disable-next-line no-control-regex -- this is what it looks for
const controlCharacters = /[\u0000-\u001f\u007f]/;
