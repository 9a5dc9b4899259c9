import { win32 } from "node:path";
import type { Timer, TimerJob } from "../../core/ports/timer.ts";
import { checkJob, refused } from "./check-job.ts";
import { fileTimer } from "./file-timer.ts";
import type { ToolEnvironment } from "../../adapters/run-tool.ts";
import { escapeXml, unescapeXml } from "../../adapters/xml-text.ts";

/**
 * A Windows task and the script that it runs, because a task can neither write a log nor store every argument. It catches
 * up on times when the machine was off.
 */
export function schtasksTimer({
  env,
  folder,
}: {
  readonly env: ToolEnvironment;
  readonly folder: string;
}): Timer {
  const task = (key: string) => `Whetstone\\sleep-${key}`;
  const file = (key: string, ending: string) => `sleep-${key}.${ending}`;
  return fileTimer({
    name: "schtasks",
    env,
    folder,
    files: (key) => [file(key, "xml"), file(key, "cmd")],
    write: (job, key) => [
      // the task scheduler reads UTF-16 with a byte order mark
      Buffer.from(`\uFEFF${taskOf(job, win32.join(folder, file(key, "cmd")))}`, "utf16le"),
      Buffer.from(scriptOf(job)),
    ],
    read: ([xml, script]) => readTask(xml?.toString("utf16le") ?? "", String(script)),
    start: (key) => [
      { argv: ["schtasks", "/Create", "/F", "/TN", task(key), "/XML", win32.join(folder, file(key, "xml"))] },
    ],
    stop: (key) => [{ argv: ["schtasks", "/Delete", "/F", "/TN", task(key)] }],
  });
}

const taskOf = ({ project, at }: TimerJob, script: string): string => `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${escapeXml(`Nights of whetstone sleep in ${project}`)}</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T${at}:00</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Enabled>true</Enabled>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escapeXml(`"${script}"`)}</Command>
      <WorkingDirectory>${escapeXml(project)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;

function scriptOf(job: TimerJob): string {
  checkJob(job, "windows");
  const { project, argv, log } = job;
  if ([project, log, ...argv].some((word) => word.includes('"')))
    throw refused("a Windows script can't contain a quotation mark inside an argument");
  const lines = [
    "@echo off",
    "chcp 65001 >nul",
    `cd /d ${quote(project)}`,
    `${argv.map(quote).join(" ")} >> ${quote(log)} 2>&1`,
    "exit /b %errorlevel%",
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

function readTask(xml: string, script: string): TimerJob | undefined {
  const at = /<StartBoundary>[\d-]+T(\d\d:\d\d):00<\/StartBoundary>/.exec(xml)?.[1];
  const project = /<WorkingDirectory>([^<]*)<\/WorkingDirectory>/.exec(xml)?.[1];
  const [, words, log] = /^(".*") >> (".*") 2>&1\r$/m.exec(script) ?? [];
  if (at === undefined || project === undefined || words === undefined || log === undefined) return undefined;
  return { project: unescapeXml(project), at, argv: readQuoted(words), log: readQuoted(log)[0] ?? "" };
}

/** Quotes as Windows programs parse arguments: backslashes are only doubled before a quotation mark. */
const quote = (word: string): string => `"${word.replace(/\\+$/, "$&$&").replaceAll("%", "%%")}"`;

const readQuoted = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"/g)].map(([, word = ""]) =>
    word.replace(/\\+$/, (run) => run.slice(run.length / 2)).replaceAll("%%", "%"),
  );
