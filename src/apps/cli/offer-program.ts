import { type Command, Option } from "commander";
import type { AdoptOptions } from "../../run/offer/proposals.ts";
import type { RuleChoices } from "../../run/offer/choose.ts";
import type { ChoiceFlags, TextFlags } from "./commands/offer-commands.ts";
import { collect, findProject, isJson, withJournalFlags } from "./flags.ts";
import type { Io } from "../../show/io.ts";

/** The commands for proposals, which are the same for trainings, prunings and nights. */
export function addOfferCommands(parent: Command, io: Io): void {
  const load = () => import("./commands/offer-commands.ts");
  const offer = (name: string, meant: string): Command =>
    withJournalFlags(parent.command(name))
      .argument("[run]", `beginning of the run's id (default: ${meant})`)
      .option("--json", "print it as JSON", false);
  const flagsOf = async <Flags extends object>(run: string | undefined, flags: Flags, command: Command) => ({
    ...flags,
    ...(await findProject(command, io)),
    ...(run === undefined ? {} : { run }),
    json: isJson(command),
  });

  withChoice(offer("review", "the only one waiting"))
    .description("see a proposal rule by rule, and decide on each rule")
    .action(async (run: string | undefined, flags: ChoiceFlags, command: Command) =>
      (await load()).reviewCommand(await flagsOf(run, flags, command), io),
    );
  withTexts(withChoice(offer("diff", "the latest")))
    .description("show what adopting a proposal would change")
    .action(async (run: string | undefined, flags: ChoiceFlags & TextFlags, command: Command) =>
      (await load()).diffCommand(await flagsOf(run, flags, command), io),
    );
  withTexts(withChoice(offer("adopt", "the latest")))
    .description("write a proposal, or the rules you chose, to the live files")
    .option("--unproven", "adopt even if no test has shown it to be better", false)
    .option("--merge", "merge into a live file that changed since; the result is unproven", false)
    .option(
      "--acknowledge <word>",
      "agree to these new permissions: commands, credentials … (repeatable)",
      collect,
    )
    .option("--finish", "only finish adopts and undos that were interrupted", false)
    .action(
      async (
        run: string | undefined,
        flags: ChoiceFlags & TextFlags & Omit<AdoptOptions, keyof RuleChoices>,
        command: Command,
      ) => (await load()).adoptCommand(await flagsOf(run, flags, command), io),
    );
  offer("reject", "the only one waiting")
    .description("reject a proposal or one of its rules for good; nights learn why")
    .option("--rule <rule>", "only this rule")
    .requiredOption("--reason <words>", "why you reject it")
    .action(
      async (
        run: string | undefined,
        flags: { readonly rule?: string; readonly reason: string },
        command: Command,
      ) => (await load()).rejectCommand(await flagsOf(run, flags, command), io),
    );
  offer("undo", "the last one adopted")
    .description("restore the exact bytes from before an adopt")
    .action(async (run: string | undefined, flags: object, command: Command) =>
      (await load()).undoCommand(await flagsOf(run, flags, command), io),
    );
}

const withChoice = (command: Command): Command =>
  command
    .option("--accept <rules>", "take only these rules, such as 1,4 (repeatable)", rules)
    .option("--drop <rules>", "leave these rules out for now (repeatable)", rules)
    .option("--edit <rule=file>", "use the wording in a file for this rule (repeatable)", collect)
    .option("--same <rule=other>", "this rule is the same as another rule or wish (repeatable)", collect)
    .option("--reject <rule=reason>", "reject this rule for good (repeatable)", collect);

const withTexts = (command: Command): Command =>
  command
    .option("--one-shot", "use the one-shot rewrite, if it passed more test tasks; unproven", false)
    .addOption(
      new Option("--lean", "use the text with only the rules shown to help; unproven").conflicts("oneShot"),
    )
    .addOption(
      new Option("--full", "use the text expected to score best; unproven").conflicts(["oneShot", "lean"]),
    );

const rules = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.split(",").map((name) => name.trim()),
];
