import { resolve } from "node:path";
import type { Command } from "commander";
import type { ForgetFlags } from "./commands/forget-command.ts";
import { findJournal, readCount, withJournalFlags } from "./flags.ts";
import type { Io } from "../../show/io.ts";

/** `whetstone forget` and `whetstone journal`, for stored data. */
export function addJournalCommands(program: Command, io: Io): void {
  program
    .command("forget [what]")
    .description("delete a project's journal, or all results that contain some text")
    .option("--older-than <days>", "delete runs older than this, in all projects", readCount)
    .option("--yes", "don't ask", false)
    .option("--json", "print JSON", false)
    .action(async (what: string | undefined, flags: Omit<ForgetFlags, "what">) =>
      (await import("./commands/forget-command.ts")).forgetCommand({ what, ...flags }, io),
    );

  const journal = program.command("journal").description("check, salvage or move the journal");
  journal
    .command("move [from]")
    .description("keep using the journal of a project that was moved from another folder")
    .option("--json", "print JSON", false)
    .action(async (from: string | undefined, { json }: { json: boolean }) =>
      (await import("./commands/journal-command.ts")).moveJournalCommand(from, json, io),
    );
  withJournalFlags(journal.command("check"))
    .description("read every row and show what is wrong")
    .action(async (_, command: Command) =>
      (await import("./commands/journal-command.ts")).checkJournalCommand(await findJournal(command, io), io),
    );
  withJournalFlags(journal.command("salvage"))
    .description("copy every sound row into a new journal")
    .requiredOption("--to <folder>", "the new journal")
    .action(async ({ to }: { to: string }, command: Command) =>
      (await import("./commands/journal-command.ts")).salvageJournalCommand(
        await findJournal(command, io),
        resolve(io.cwd, to),
        io,
      ),
    );
}
