import { type Command, Option } from "commander";
import { timerNames } from "../../core/ports/timer.ts";
import {
  addConfigFlags,
  collect,
  findJournal,
  readCommonFlags,
  readConfigFlags,
  readCount,
  typedFlags,
  withJournalFlags,
  withRunFlags,
} from "./flags.ts";
import type { Io } from "../../show/io.ts";
import type { RunFlags } from "./read-config.ts";
import type { SleepHarvestFlags, SleepRunFlags } from "./commands/sleep-commands.ts";
import type { SleepInitFlags } from "./commands/sleep-init.ts";
import type { ScheduleFlags } from "./commands/sleep-schedule.ts";

/** `whetstone sleep …`, with which agents learn from their developer's own work. */
export function addSleepCommands(program: Command, io: Io): void {
  const sleep = program
    .command("sleep")
    .description("learn rules from your own conversations with agents, night by night")
    .enablePositionalOptions();
  const night = (name: string, isUsed?: (path: string) => boolean): Command =>
    addConfigFlags(withRunFlags(sleep.command(name)), "sleep", isUsed);
  const journalDir = async (command: Command) => (await findJournal(command, io)).journalDir;

  night("init", (path) => ofReading.has(path) || path === "telemetry")
    .description("show what nights would read in this project, and ask once to allow it")
    .option("--yes", "allow it without asking", false)
    .option("--source <agent>", "only conversations with this agent (repeatable)", collect)
    .option("--exclude <pattern>", "leave out conversations that touch this (repeatable)", collect)
    .option("--file <path>", "let all rules go into this agent's file too (repeatable)", collect)
    .option("--retention-days <n>", "days to keep text of conversations", readCount, 90)
    .option("--local-only", "only use models on this machine", false)
    .option("--note-at-end", "offer your corrections at the end of each conversation, without a call", false)
    .action(async (flags: Omit<SleepInitFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/sleep-init.ts")).sleepInitCommand(
        { ...flags, ...readNightFlags(command) },
        io,
      ),
    );
  night("run")
    .description("run one night: read, learn, test, propose; run it again to resume")
    .option("--tasks <file>", "use reviewed tasks instead of conversations")
    .option("--if-due", "only run if no night has run since the scheduled time; unattended", false)
    .option("--check", "only check whether it could start; reads and sends nothing", false)
    .option("--keys <file>", "for unattended runs: keys that you allowed, as NAME=value lines")
    .action(async (flags: Omit<SleepRunFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepRunCommand(
        { ...flags, ...readNightFlags(command) },
        io,
      ),
    );
  night("note", (path) => ofReading.has(path))
    .description("offer your corrections since the last night, in your words, without a call")
    .action(async (_, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepNoteCommand(readNightFlags(command), io),
    );
  night("dry-run", (path) => !ofCalls.has(path))
    .description("show what a night would read and for which files; no calls, no writes")
    .action(async (_, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepDryRunCommand(readNightFlags(command), io),
    );
  night("preview", (path) => ofReading.has(path))
    .description("show exactly what would leave this machine")
    .action(async (_, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepPreviewCommand(readNightFlags(command), io),
    );
  night("harvest", (path) => ofReading.has(path) || ofCalls.has(path) || ofMining.has(path))
    .description("find tasks in new conversations, and write them to a file for review")
    .option("--output <file>", "file to write, as JSON lines; without it, nothing is sent")
    .option("--force", "overwrite an existing file", false)
    .action(async (flags: Omit<SleepHarvestFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepHarvestCommand(
        { ...flags, ...readNightFlags(command) },
        io,
      ),
    );
  withJournalFlags(sleep.command("status"))
    .description("show the last night, what waits for you and what is still being tested")
    .option("--json", "print it as JSON", false)
    .action(async ({ json }: { json: boolean }, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepStatusCommand(
        { journalDir: await journalDir(command), json },
        io,
      ),
    );
  night("schedule")
    .description("run a night every day on this machine, with the flags you give here")
    .option("--at <hh:mm>", "local time (default: between 03:00 and 03:59)")
    .addOption(
      new Option("--timer <name>", "timer to use; launchd and schtasks are experimental")
        .choices(["auto", ...timerNames])
        .default("auto"),
    )
    .option("--keys <file>", "keys for the models, as NAME=value lines")
    .option("--yes", "allow what it will run and send, without asking", false)
    .action(
      async (
        { at, timer, keys, yes }: Pick<ScheduleFlags, "at" | "timer" | "keys" | "yes">,
        command: Command,
      ) => {
        const { sleepScheduleCommand } = await import("./commands/sleep-schedule.ts");
        const notOfNights = ["at", "timer", "keys", "yes", "json", "unattended"];
        return sleepScheduleCommand(
          {
            ...readNightFlags(command),
            yes,
            ...(at === undefined ? {} : { at }),
            keys,
            timer,
            flags: typedFlags(command, (name) => !notOfNights.includes(name)),
          },
          io,
        );
      },
    );
  withJournalFlags(sleep.command("unschedule"))
    .description("remove the schedule")
    .option("--json", "print it as JSON", false)
    .action(async ({ json }: { json: boolean }, command: Command) =>
      (await import("./commands/sleep-schedule.ts")).sleepUnscheduleCommand(
        await journalDir(command),
        json,
        io,
      ),
    );
}

/** Config keys that decide what is read, how much of it the caps allow, and where it would go. */
const ofReading: ReadonlySet<string> = new Set(
  `target optimizer judge miner baseURL prices spend.usd spend.tokens spend.calls spend.minutes
  journal sleep.lookback sleep.maxConversations sleep.memory sleep.byHand`.split(/\s+/),
);

/** Config keys that only matter once calls are made. */
const ofCalls: ReadonlySet<string> = new Set(["callSeconds", "offline", "telemetry", "verbose"]);

/** More keys that finding tasks depends on. */
const ofMining: ReadonlySet<string> = new Set([
  "optimizerMaxTokens",
  "temperature",
  "concurrency",
  "sleep.verify",
]);

const readNightFlags = (command: Command): RunFlags => ({
  ...readCommonFlags(command),
  given: readConfigFlags(command, "sleep"),
  notesPrograms: true,
});
