import { type Command, Option } from "commander";
import type { AdoptOptions } from "../../run/offer/proposals.ts";
import type { RuleChoices } from "../../run/offer/choose.ts";
import type { ChoiceFlags, TextFlags } from "./commands/offer-commands.ts";
import { collect, findProject, isJson, withJournalFlags } from "./flags.ts";
import type { Io } from "../../show/io.ts";

/** The commands for a proposal: the same for trainings, prunings and nights. */
export function addOfferCommands(parent: Command, io: Io): void {
  const load = () => import("./commands/offer-commands.ts");
  const offer = (name: string, meant: string): Command =>
    withJournalFlags(parent.command(name))
      .argument("[run]", `the beginning of its id; ${meant} by default`)
      .option("--json", "print it as JSON", false);
  const flagsOf = async <Flags extends object>(run: string | undefined, flags: Flags, command: Command) => ({
    ...flags,
    ...(await findProject(command, io)),
    ...(run === undefined ? {} : { run }),
    json: isJson(command),
  });

  withChoice(offer("review", "the only one that waits"))
    .description("what is proposed, rule by rule; decide on each of them")
    .action(async (run: string | undefined, flags: ChoiceFlags, command: Command) =>
      (await load()).reviewCommand(await flagsOf(run, flags, command), io),
    );
  withTexts(withChoice(offer("diff", "the latest")))
    .description("what adopting a proposal would change")
    .action(async (run: string | undefined, flags: ChoiceFlags & TextFlags, command: Command) =>
      (await load()).diffCommand(await flagsOf(run, flags, command), io),
    );
  withTexts(withChoice(offer("adopt", "the latest")))
    .description("put what is proposed, or what you chose of it, into the live files")
    .option("--unproven", "also what no test has shown to be better", false)
    .option("--merge", "into a live file that changed since; unproven from then on", false)
    .option(
      "--acknowledge <word>",
      "you mean these new permissions: commands, credentials … (repeatable)",
      collect,
    )
    .option("--finish", "finish adopts and undos that were interrupted; adopt nothing else", false)
    .action(
      async (
        run: string | undefined,
        flags: ChoiceFlags & TextFlags & Omit<AdoptOptions, keyof RuleChoices>,
        command: Command,
      ) => (await load()).adoptCommand(await flagsOf(run, flags, command), io),
    );
  offer("reject", "the only one that waits")
    .description("turn a proposal down for good, or one rule of it; nights are told why")
    .option("--rule <rule>", "only this rule")
    .requiredOption("--reason <words>", "why")
    .action(
      async (
        run: string | undefined,
        flags: { readonly rule?: string; readonly reason: string },
        command: Command,
      ) => (await load()).rejectCommand(await flagsOf(run, flags, command), io),
    );
  offer("undo", "the one that was adopted last")
    .description("put back the exact bytes from before an adopt")
    .action(async (run: string | undefined, flags: object, command: Command) =>
      (await load()).undoCommand(await flagsOf(run, flags, command), io),
    );
}

const withChoice = (command: Command): Command =>
  command
    .option("--accept <rules>", "take only these rules, such as 1,4 (repeatable)", rules)
    .option("--drop <rules>", "leave these rules out for now (repeatable)", rules)
    .option("--edit <rule=file>", "take this rule in the words of a file (repeatable)", collect)
    .option("--same <rule=other>", "this rule is the same as another rule or wish (repeatable)", collect)
    .option("--reject <rule=reason>", "turn this rule down for good (repeatable)", collect);

const withTexts = (command: Command): Command =>
  command
    .option("--one-shot", "the run's one-shot rewrite, if it passed more test tasks; unproven", false)
    .addOption(
      new Option("--lean", "the text with only the rules whose help is shown; unproven").conflicts("oneShot"),
    )
    .addOption(
      new Option("--full", "the text with the best expectation; unproven").conflicts(["oneShot", "lean"]),
    );

const rules = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.split(",").map((name) => name.trim()),
];
