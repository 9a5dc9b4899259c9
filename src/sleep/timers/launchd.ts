import { join } from "node:path";
import { ifDueFlag, type Timer, type TimerJob } from "../../core/ports/timer.ts";
import { checkJob } from "./check-job.ts";
import { fileTimer } from "./file-timer.ts";
import type { ToolEnvironment } from "../../adapters/run-tool.ts";
import { escapeXml, unescapeXml } from "../../adapters/xml-text.ts";

/**
 * A macOS launch agent. It catches up after sleep, but not after the machine was off. So it also starts every hour, and the
 * command checks whether a night is due. launchd never runs an agent twice at the same time.
 */
export function launchdTimer({
  env,
  home,
  userId = process.getuid?.() ?? 0,
}: {
  readonly env: ToolEnvironment;
  readonly home: string;
  /** @default this process's */
  readonly userId?: number;
}): Timer {
  const folder = join(home, "Library", "LaunchAgents");
  const label = (key: string) => `whetstone.sleep.${key}`;
  const stop = (key: string) => ["launchctl", "bootout", `gui/${userId}/${label(key)}`];
  return fileTimer({
    name: "launchd",
    env,
    folder,
    files: (key) => [`${label(key)}.plist`],
    write: (job, key) => [Buffer.from(plistOf(job, label(key)))],
    read: ([plist]) => readPlist(String(plist)),
    start: (key) => [
      { argv: stop(key), mayFail: true },
      { argv: ["launchctl", "bootstrap", `gui/${userId}`, join(folder, `${label(key)}.plist`)] },
    ],
    stop: (key) => [{ argv: stop(key), mayFail: true }],
  });
}

function plistOf(job: TimerJob, label: string): string {
  checkJob(job);
  const [hour, minute] = job.at.split(":").map(Number);
  const text = (value: string) => `<string>${escapeXml(value)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(label)}
  <key>ProgramArguments</key>
  <array>
${[...job.argv, ifDueFlag].map((word) => `    ${text(word)}`).join("\n")}
  </array>
  <key>WorkingDirectory</key>
  ${text(job.project)}
  <key>StartCalendarInterval</key>
  <dict>
    <key>Hour</key>
    <integer>${hour}</integer>
    <key>Minute</key>
    <integer>${minute}</integer>
  </dict>
  <key>StartInterval</key>
  <integer>3600</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>StandardOutPath</key>
  ${text(job.log)}
  <key>StandardErrorPath</key>
  ${text(job.log)}
</dict>
</plist>
`;
}

function readPlist(plist: string): TimerJob | undefined {
  const after = (key: string, value: string) => new RegExp(`<key>${key}</key>\\s*${value}`).exec(plist)?.[1];
  const [project, log] = ["WorkingDirectory", "StandardOutPath"].map((key) =>
    after(key, "<string>([^<]*)</string>"),
  );
  const [hour, minute] = ["Hour", "Minute"].map((key) => after(key, "<integer>(\\d+)</integer>"));
  const words = after("ProgramArguments", "<array>([^]*?)</array>") ?? "";
  const argv = [...words.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word = ""]) => unescapeXml(word));
  if (project === undefined || log === undefined || hour === undefined || minute === undefined)
    return undefined;
  if (argv.pop() !== ifDueFlag) return undefined;
  const at = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return { project: unescapeXml(project), at, argv, log: unescapeXml(log) };
}
