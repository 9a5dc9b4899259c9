import { existsSync } from "node:fs";
import { join, win32 } from "node:path";
import { timerFailed } from "./check-job.ts";
import type { Timer, TimerName } from "../../core/ports/timer.ts";
import { onPath } from "../../adapters/on-path.ts";
import { cronTimer } from "./cron.ts";
import { launchdTimer } from "./launchd.ts";
import type { ToolEnvironment } from "../../adapters/run-tool.ts";
import { schtasksTimer } from "./schtasks.ts";
import { systemdTimer } from "./systemd.ts";

export interface TimerSurroundings {
  readonly env: ToolEnvironment;
  /** The person's home folder. */
  readonly home: string;
  /** @default this machine's */
  readonly platform?: NodeJS.Platform;
}

/** The timer with that name, or this system's own. */
export function chooseTimer(choice: "auto" | TimerName, surroundings: TimerSurroundings): Timer {
  return timersByName(surroundings)[choice === "auto" ? ownTimer(surroundings) : choice];
}

/** All timers that can have a job on this system, to list jobs and to remove one wherever it is. */
export function timersHere(surroundings: TimerSurroundings): readonly Timer[] {
  const { platform = process.platform } = surroundings;
  const timers = timersByName(surroundings);
  if (platform === "win32") return [timers.schtasks];
  return platform === "darwin" ? [timers.launchd, timers.cron] : [timers.systemd, timers.cron];
}

function timersByName({ env, home }: TimerSurroundings): Readonly<Record<TimerName, Timer>> {
  const folder = win32.join(
    env["LOCALAPPDATA"] ?? win32.join(home, "AppData", "Local"),
    "whetstone",
    "timers",
  );
  return {
    cron: cronTimer({ env }),
    systemd: systemdTimer({ env, home }),
    launchd: launchdTimer({ env, home }),
    schtasks: schtasksTimer({ env, folder }),
  };
}

function ownTimer({ env, platform = process.platform }: TimerSurroundings): TimerName {
  if (platform === "darwin") return "launchd";
  if (platform === "win32") return "schtasks";
  // the person's systemd, if it runs, also catches up on missed nights
  const runtime = env["XDG_RUNTIME_DIR"];
  if (runtime !== undefined && existsSync(join(runtime, "systemd")) && onPath("systemctl", env) !== undefined)
    return "systemd";
  if (onPath("crontab", env) !== undefined) return "cron";
  throw timerFailed(
    "Neither cron nor your own systemd is running on this machine.",
    "Install cron, or run `whetstone sleep run` yourself each day.",
  );
}
