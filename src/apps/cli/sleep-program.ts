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

/** `whetstone sleep …`: the agent learns from its developer's own days. */
export function addSleepCommands(program: Command, io: Io): void {
  const sleep = program
    .command("sleep")
    .description("learn rules from your own conversations with agents, night by night")
    .enablePositionalOptions();
  const night = (name: string, isUsed?: (path: string) => boolean): Command =>
    addConfigFlags(withRunFlags(sleep.command(name)), "sleep", isUsed);
  const journalDir = async (command: Command) => (await findJournal(command, io)).journalDir;

  night("init", (path) => ofReading.has(path) || path === "telemetry")
    .description("say what would be read of this project, and ask for it, once")
    .option("--yes", "allow it without being asked", false)
    .option("--source <agent>", "only conversations with this agent (repeatable)", collect)
    .option("--exclude <pattern>", "leave out conversations that touch this (repeatable)", collect)
    .option("--file <path>", "let all rules go into this agent's file too (repeatable)", collect)
    .option("--retention-days <n>", "how long words of conversations are kept", readCount, 90)
    .option("--local-only", "only models on this machine may be used", false)
    .option("--note-at-end", "offer your corrections when a conversation ends, without a call", false)
    .action(async (flags: Omit<SleepInitFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/sleep-init.ts")).sleepInitCommand(
        { ...flags, ...readNightFlags(command) },
        io,
      ),
    );
  night("run")
    .description("one night: read, learn, prove, propose; the same command again resumes it")
    .option("--tasks <file>", "reviewed tasks instead of conversations")
    .option("--if-due", "only if none has run since the scheduled time; unattended", false)
    .option("--check", "only say whether it could start: nothing is read or sent", false)
    .option("--keys <file>", "unattended: keys that the consent names, as NAME=value lines")
    .action(async (flags: Omit<SleepRunFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepRunCommand(
        { ...flags, ...readNightFlags(command) },
        io,
      ),
    );
  night("note", (path) => ofReading.has(path))
    .description("offer your corrections since the last night, in your words and without a call")
    .action(async (_, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepNoteCommand(readNightFlags(command), io),
    );
  night("dry-run", (path) => !ofCalls.has(path))
    .description("what a night would read and for which files; no call, nothing written")
    .action(async (_, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepDryRunCommand(readNightFlags(command), io),
    );
  night("preview", (path) => ofReading.has(path))
    .description("exactly what would leave this machine")
    .action(async (_, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepPreviewCommand(readNightFlags(command), io),
    );
  night("harvest", (path) => ofReading.has(path) || ofCalls.has(path) || ofMining.has(path))
    .description("find tasks in what is new, and write them down for your review")
    .option("--output <file>", "where to (JSON lines); without it, nothing is sent")
    .option("--force", "write over a file that is there", false)
    .action(async (flags: Omit<SleepHarvestFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepHarvestCommand(
        { ...flags, ...readNightFlags(command) },
        io,
      ),
    );
  withJournalFlags(sleep.command("status"))
    .description("the last night, what waits for you, what is still tested")
    .option("--json", "print it as JSON", false)
    .action(async ({ json }: { json: boolean }, command: Command) =>
      (await import("./commands/sleep-commands.ts")).sleepStatusCommand(
        { journalDir: await journalDir(command), json },
        io,
      ),
    );
  night("schedule")
    .description("let this machine run a night every day, with the flags that you give here")
    .option("--at <hh:mm>", "local time (default: between 03:00 and 03:59)")
    .addOption(
      new Option("--timer <name>", "what starts it; launchd and schtasks are experimental")
        .choices(["auto", ...timerNames])
        .default("auto"),
    )
    .option("--keys <file>", "keys for the models, as NAME=value lines")
    .option("--yes", "allow what it will run and send without being asked", false)
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

/** Config keys that decide what is read, how much of it the caps pay for, and where it would go. */
const ofReading: ReadonlySet<string> = new Set(
  `target optimizer judge miner baseURL prices spend.usd spend.tokens spend.calls spend.minutes
  journal sleep.lookback sleep.maxConversations sleep.memory sleep.byHand`.split(/\s+/),
);

/** Config keys that matter only once somebody is called. */
const ofCalls: ReadonlySet<string> = new Set(["callSeconds", "offline", "telemetry", "verbose"]);

/** Further keys that finding tasks goes by. */
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
