import type { chooseTimer } from "../../../src/sleep/timers/choose-timer.ts";
import { join } from "node:path";
import type { seededRandom } from "../../../src/testing/index.ts";

export type Timer = ReturnType<typeof chooseTimer>;
export type TimerJob = Parameters<Timer["install"]>[0];

type Random = ReturnType<typeof seededRandom>;

const pieces = [
  "%",
  "\\%",
  "\\\\%",
  "$HOME",
  "`id`",
  "'",
  "&&",
  ">>",
  "2>&1",
  "--if-due",
  " ",
  "é",
  "<b>",
  "&amp;",
  "~",
  "#",
];
const flags = [
  "--source",
  "codex",
  "--model",
  "openai/gpt-5",
  "--max-usd",
  "2.50",
  "--k",
  "5",
  "--local-only",
];

/** A job with words that a shell, a crontab, systemd, XML and a script of Windows each read as something of their own. */
export function randomJob(
  random: Random,
  { folder, program }: { folder: string; program: string },
): TimerJob {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const words = (count: number) =>
    Array.from({ length: Math.floor(random() * count) }, () => pick(random() < 0.5 ? pieces : flags));
  const strange = Array.from({ length: Math.floor(random() * 6) }, () => words(4).join(""));
  const project = join(
    folder,
    `project ${Math.floor(random() * 1e9)} ${words(3).join("")}.`.replaceAll("/", "-"),
  );
  const time = [24, 60].map((limit) => String(Math.floor(random() * limit)).padStart(2, "0"));
  return {
    project,
    at: time.join(":"),
    argv: [program, "sleep", "run", ...words(6), ...strange],
    log: join(project, "night 100%.log"),
  };
}
