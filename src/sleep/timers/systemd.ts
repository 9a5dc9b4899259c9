import { join } from "node:path";
import { ifDueFlag, type Timer, type TimerJob } from "../../core/ports/timer.ts";
import { checkJob, refused } from "./check-job.ts";
import { fileTimer } from "./file-timer.ts";
import type { ToolEnvironment } from "../../adapters/run-tool.ts";

/** A timer and a service of the person's own systemd. It catches up on times when the machine was off, and every hour the command checks whether a night is due. */
export function systemdTimer({ env, home }: { readonly env: ToolEnvironment; readonly home: string }): Timer {
  const config =
    env["XDG_CONFIG_HOME"]?.startsWith("/") === true ? env["XDG_CONFIG_HOME"] : join(home, ".config");
  const unit = (key: string) => `whetstone-sleep-${key}`;
  const reload = { argv: ["systemctl", "--user", "daemon-reload"] };
  return fileTimer({
    name: "systemd",
    env,
    folder: join(config, "systemd", "user"),
    files: (key) => [`${unit(key)}.timer`, `${unit(key)}.service`],
    write: (job) => [timerUnit(job), serviceUnit(job)].map((text) => Buffer.from(text)),
    read: ([timer, service]) => readUnits(String(timer), String(service)),
    start: (key) => [reload, { argv: ["systemctl", "--user", "enable", "--now", `${unit(key)}.timer`] }],
    stop: (key) => [{ argv: ["systemctl", "--user", "disable", "--now", `${unit(key)}.timer`] }],
  });
}

const timerUnit = ({ project, at }: TimerJob): string => `[Unit]
Description=Nights of whetstone sleep in ${escapeSpecifiers(project)}

[Timer]
OnCalendar=*-*-* ${at}:00
OnCalendar=*-*-* *:${at.slice(3)}:00
Persistent=true

[Install]
WantedBy=timers.target
`;

/** A `:` before the program stops systemd from expanding `$`. */
function serviceUnit(job: TimerJob): string {
  checkJob(job);
  const { project, argv, log } = job;
  for (const path of [project, log])
    if (/[\s\\]$/.test(path)) throw refused(`systemd can't store a path that ends like "${path}"`);
  return `[Unit]
Description=A night of whetstone sleep in ${escapeSpecifiers(project)}

[Service]
Type=oneshot
WorkingDirectory=${escapeSpecifiers(project)}
ExecStart=:${[...argv, ifDueFlag].map(quote).join(" ")}
StandardOutput=append:${escapeSpecifiers(log)}
StandardError=append:${escapeSpecifiers(log)}
`;
}

function readUnits(timer: string, service: string): TimerJob | undefined {
  const field = (text: string, start: string) =>
    text
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.slice(start.length);
  const at = field(timer, "OnCalendar=*-*-* ");
  const [project, log] = [field(service, "WorkingDirectory="), field(service, "StandardOutput=append:")];
  const argv = [...(field(service, "ExecStart=:") ?? "").matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(
    ([, word = ""]) => unescapeSpecifiers(word.replace(/\\(.)/g, "$1")),
  );
  if (at === undefined || project === undefined || log === undefined || argv.pop() !== ifDueFlag)
    return undefined;
  return { project: unescapeSpecifiers(project), at: at.slice(0, 5), argv, log: unescapeSpecifiers(log) };
}

const quote = (word: string): string => `"${escapeSpecifiers(word.replace(/[\\"]/g, "\\$&"))}"`;

const escapeSpecifiers = (text: string): string => text.replaceAll("%", "%%");
const unescapeSpecifiers = (text: string): string => text.replaceAll("%%", "%");
