import { resolve } from "node:path";
import { Argument, type Command, Option } from "commander";
import { exampleModels } from "../../adapters/models/example-models.ts";
import { importFormats } from "../../adapters/importers/imported.ts";
import type { JournalPlace } from "../../adapters/journals/open-journal.ts";
import { type PluginHostName, pluginHostNames } from "../../core/coding-agents.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { CompareTasks } from "../../run/verbs/compare.ts";
import type { PlanFlags } from "./commands/plan-command.ts";
import type { PluginFlag } from "./commands/compare-command.ts";
import { type FailOn, failWords } from "../../core/fail-words.ts";
import type { DemoFlags } from "./commands/demo-command.ts";
import {
  addConfigFlags,
  collect,
  findJournal,
  findProject,
  isJson,
  readCommonFlags,
  readConfigFlags,
  readCount,
  readRunFlags,
  withJournalFlags,
  withRunFlags,
} from "./flags.ts";
import { KindCommand, commandsOfWord, commandWords } from "./command-kinds.ts";
import { addJournalCommands } from "./journal-program.ts";
import { addFleetCommands } from "./fleet-program.ts";
import { arrangeHelp, helpLayout } from "./help.ts";
import type { ImportFlags } from "./commands/import-command.ts";
import type { InitFlags } from "./commands/init-command.ts";
import type { Io } from "../../show/io.ts";
import type { PrFlags } from "./commands/pr-command.ts";
import type { PruneFlags } from "./commands/prune-command.ts";
import type { RunFlags } from "./read-config.ts";
import type { ReportFlags } from "./commands/report-command.ts";
import { addOfferCommands } from "./offer-program.ts";
import { addSleepCommands } from "./sleep-program.ts";
import type { TrustFlags } from "./commands/trust-command.ts";

/** The commands: arguments in, one call, lines out. A command's code is only loaded when it's called. */
export function createProgram(io: Io, version: string, args: readonly string[] = []): Command {
  const program = new KindCommand("whetstone")
    .description("Trains agent skills and tests the result on held-out tasks before you adopt it.")
    .version(version, "-v, --version")
    .exitOverride()
    // a flag belongs to the command before it: in `doctor evals --tasks` it isn't a flag of `doctor`
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.print(text.trimEnd()),
      outputError: () => {},
      getOutHelpWidth: () => io.columns,
    })
    .configureHelp(helpLayout)
    .showSuggestionAfterError()
    .addHelpText("after", examples);
  addRunCommands(program, io);
  addProofCommands(program, io);
  addRunsCommands(program, io);
  addSleepCommands(program, io);
  addToolCommands(program, io, version);
  addFleetCommands(program, io);
  arrangeHelp(program, args);
  program.hook("preAction", async (_, command) => {
    const words = commandWords(command);
    if (!commandsOfWord.includes(words) || command.opts()["show"] === true) return;
    await (await import("../../run/word.ts")).requireWord(`whetstone ${words}`);
  });
  return program;
}

const examples = `
Examples:
  whetstone demo                                  no key, no config: see it work
  whetstone train ./SKILL.md --tasks tasks.jsonl  picks models by your API key
  whetstone train --target ${exampleModels.openai.target} --optimizer ${exampleModels.openai.optimizer}
  whetstone train --target ${exampleModels["claude-code"].target} --optimizer ${exampleModels["claude-code"].optimizer}
  whetstone plan                                  estimated cost and time
  whetstone eval --baseline main --fail-on worse  in CI: is this change worse?
  whetstone ui                                    see it all in the browser

Common flags: whetstone train --help. All flags: whetstone train --help all`;

function addRunCommands(program: Command, io: Io): void {
  const train = program
    .command("train")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("train a skill; run it again to resume")
    .action(async (skill: string | undefined, _, command: Command) =>
      (await import("./commands/train-command.ts")).trainCommand(readRunFlags(skill, command), io),
    );
  addConfigFlags(withRunFlags(train), "train");

  const measure = program
    .command("eval")
    .argument("[skill]", "a file, a folder with SKILL.md, or a Claude Code plugin with evals")
    .description("measure a skill on one split, or against an earlier version or no skill")
    .addOption(
      new Option(
        "--on <tasks>",
        "tasks to use (default: val; with --baseline: unseen, not used to make a skill)",
      ).choices(["train", "val", "test", "all", "unseen"]),
    )
    .option("--baseline <ref>", "compare with the skill at a git ref or another path, or with none")
    .addOption(failOn())
    .action(async (skill: string | undefined, flags: EvalFlags, command: Command) =>
      evalOrCompare({ ...readRunFlags(skill, command), ...flags }, io),
    );
  addConfigFlags(withRunFlags(measure), "measure");

  const compare = program
    .command("compare")
    .argument("<old>", "the earlier skill: a file, or a folder with SKILL.md")
    .argument("<new...>", "the skill that should be better; several are tested as one question")
    .description("test whether one skill is better than another, and how sure that is")
    .addOption(
      new Option("--on <tasks>", "tasks to use (unseen: those not used to make either skill)").choices([
        "unseen",
        "all",
        "train",
        "val",
        "test",
      ]),
    )
    .addOption(failOn())
    .action(async (before: string, after: readonly string[], flags: EvalFlags, command: Command) =>
      (await import("./commands/compare-command.ts")).compareCommand(
        { ...readRunFlags(after[0], command), ...flags, baseline: before, others: after.slice(1) },
        io,
      ),
    );
  addConfigFlags(withRunFlags(compare), "measure");

  const pullRequest = program
    .command("pr")
    .description("compare the skills that a branch changes with its base branch")
    .option("--base <ref>", "the base branch (default in a GitHub workflow: that of the pull request)")
    .addOption(
      new Option(
        "--skills <glob>",
        "main files of skills, as git globs (repeatable; default: **/SKILL.md)",
      ).argParser(collect),
    )
    .addOption(failOn())
    .option("--comment", "post the result on the pull request, in one comment for all pushes", false)
    .option("--junit <file>", "also write JUnit XML to this file")
    .action(async (flags: Omit<PrFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/pr-command.ts")).prCommand(
        { ...flags, ...readRunFlags(undefined, command) },
        io,
      ),
    );
  addConfigFlags(withRunFlags(pullRequest), "measure");

  const prune = program
    .command("prune")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("measure each rule's worth, and propose to remove rules that aren't needed")
    .option("--margin <points>", "loss that must be ruled out", readNumber, 5)
    .option("--since <run>", "only rules that didn't exist before this run")
    .action(async (skill: string | undefined, flags: Omit<PruneFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/prune-command.ts")).pruneCommand(
        { ...flags, ...readRunFlags(skill, command) },
        io,
      ),
    );
  addConfigFlags(withRunFlags(prune), "prune");

  program
    .command("start")
    .description("show the price, then train what fits in ten minutes; same as plain `whetstone`")
    .action(async () => (await import("./commands/start-command.ts")).startCommand(io));

  program
    .command("demo")
    .description("train a skill against a scripted model on this machine")
    .option("--seed <n>", "number of the parcel office to generate", readCount, 1)
    .option("--fresh <word>", "any word, to repeat a finished run independently")
    .option("--journal <folder>", "place for finished work (default: your state folder)")
    .option("--json", "print one event per line", false)
    .action(async ({ journal, ...flags }: DemoFlags) =>
      (await import("./commands/demo-command.ts")).demoCommand(
        { ...flags, journal: journal && resolve(io.cwd, journal) },
        io,
      ),
    );
}

interface EvalFlags {
  readonly on?: CompareTasks;
  readonly baseline?: string;
  readonly failOn?: FailOn;
}

const failOn = (): Option =>
  new Option("--fail-on <verdict>", "exit with code 1 on this verdict").choices(failWords);

async function evalOrCompare(given: RunFlags & EvalFlags, io: Io): Promise<void> {
  const flags = await openPlugin(given, io);
  const { baseline } = flags;
  if (baseline !== undefined)
    return (await import("./commands/compare-command.ts")).compareCommand({ ...flags, baseline }, io);
  const { on = "val" } = flags;
  if (on === "all" || on === "unseen") {
    throw new WhetstoneError("usage", `--on ${on} needs something to compare with.`, {
      hint: "Add --baseline <git ref or path>, or choose train, val or test.",
    });
  }
  if (flags.failOn === undefined)
    return (await import("./commands/train-command.ts")).evalCommand({ ...flags, on }, io);
  throw new WhetstoneError("usage", "--fail-on needs something to compare with.", {
    hint: "Add --baseline <git ref or path>, such as --baseline main.",
  });
}

/** The path of a plugin means its skill and its evals, compared with no skill. */
async function openPlugin(flags: RunFlags & EvalFlags, io: Io): Promise<RunFlags & EvalFlags & PluginFlag> {
  const { skill } = flags.given;
  if (typeof skill !== "string") return flags;
  const { findPlugin } = await import("../../config/files/find-plugin.ts");
  const plugin = findPlugin(resolve(io.cwd, skill));
  if (plugin === undefined) return flags;
  return {
    baseline: "none",
    ...flags,
    given: { tasks: plugin.tasks, ...flags.given, skill: plugin.skill },
    isPlugin: true,
  };
}

/** Commands for before and after a run: what it would take, and what to do with its result. */
function addProofCommands(program: Command, io: Io): void {
  const plan = program
    .command("plan")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("estimate a run's cost, time and smallest detectable gain; makes no API calls")
    .addOption(
      new Option("--for <command>", "command to plan")
        .choices(["train", "eval", "compare", "prune", "draft"])
        .default("train"),
    )
    .addOption(
      new Option("--on <tasks>", "tasks to use (eval, compare)").choices([
        "train",
        "val",
        "test",
        "all",
        "unseen",
      ]),
    )
    .option("--baseline <ref>", "what to compare with (compare)")
    .option("--margin <points>", "loss that must be ruled out (prune)", readNumber)
    .option("--since <run>", "only rules that didn't exist before this run (prune)")
    .option("--count <number>", "number of tasks to draft (draft)", readCount)
    .action(async (skill: string | undefined, flags: Omit<PlanFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/plan-command.ts")).planCommand(
        { ...flags, ...readRunFlags(skill, command) },
        io,
      ),
    );
  addConfigFlags(withRunFlags(plan), "train");

  addOfferCommands(program, io);
}

function addRunsCommands(program: Command, io: Io): void {
  const runs = program
    .command("runs")
    .description("list, show, remove and clean up runs")
    .action(async (_, command: Command) =>
      (await import("./commands/runs-command.ts")).runsCommand(
        await findJournal(command, io),
        isJson(command),
        io,
      ),
    );
  withJournalFlags(runs).option("--json", "print one run per line", false);
  withJournalFlags(runs.command("show").argument("[run]", "beginning of the run's id (default: the latest)"))
    .description("show the verdict, the proposed changes and the evidence")
    .option("--json", "print it as JSON", false)
    .option("--rules", "show every rule that was tried, in full", false)
    .action(async (id: string | undefined, { rules }: { rules: boolean }, command: Command) =>
      (await import("./commands/runs-command.ts")).showRunCommand(
        await findJournal(command, io),
        id,
        { json: isJson(command), rules },
        io,
      ),
    );
  withJournalFlags(runs.command("rm").argument("<run>", "beginning of the run's id"))
    .description("forget a run and delete its artifacts")
    .action(async (id: string, _, command: Command) =>
      (await import("./commands/runs-command.ts")).removeRunCommand(await findJournal(command, io), id, io),
    );
  withJournalFlags(runs.command("gc"))
    .description("delete results that no remaining run bought or used")
    .action(async (_, command: Command) =>
      (await import("./commands/runs-command.ts")).gcCommand(await findJournal(command, io), io),
    );

  withJournalFlags(
    program
      .command("verify")
      .argument("<run | file>", "beginning of a run's id, or a report.html or report.json"),
  )
    .description("recompute a verdict from its results, without a model")
    .option("--json", "print it as JSON", false)
    .action(async (of: string, { json }: { json: boolean }, command: Command) =>
      (await import("./commands/verify-command.ts")).verifyCommand(
        { of, json, project: () => findProject(command, io) },
        io,
      ),
    );

  withJournalFlags(
    program.command("report").argument("[run]", "beginning of the run's id (default: the latest)"),
  )
    .description("save a run as one file, to view or share")
    .addOption(new Option("--format <name>", "format of the file").choices(["html", "json"]).default("html"))
    .option("--out <file>", "file to write (default: HTML here, JSON to standard output)")
    .action(
      async (
        run: string | undefined,
        flags: Omit<ReportFlags, "run" | keyof JournalPlace>,
        command: Command,
      ) =>
        (await import("./commands/report-command.ts")).reportCommand(
          { ...flags, run, ...(await findJournal(command, io)) },
          io,
        ),
    );

  withJournalFlags(program.command("ui").argument("[run]", "beginning of the run's id (default: all runs)"))
    .description("view runs in the browser, including live ones; adopt and undo there")
    .option("--port <n>", "local port (default: any free one)", readNumber)
    .option("--no-open", "print the address without opening a browser")
    .action(async (run: string | undefined, flags: { port?: number; open: boolean }, command: Command) =>
      (await import("./commands/ui-command.ts")).uiCommand(
        { run, port: flags.port, open: flags.open, ...(await findJournal(command, io)) },
        io,
      ),
    );
}

function addToolCommands(program: Command, io: Io, version: string): void {
  const doctor = program
    .command("doctor")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("call each model once; check agents, keys, prices, sandbox, tasks, journal, disk")
    .option("--no-call", "make no calls (default: one per model, with the longest of the first prompts)")
    .option("--measure", "also run two train tasks, so that `plan` knows what one takes", false)
    .action(
      async (
        skill: string | undefined,
        { call, measure }: { call: boolean; measure: boolean },
        command: Command,
      ) =>
        (await import("./commands/doctor-command.ts")).doctorCommand(
          { ...readRunFlags(skill, command), call, measure },
          io,
        ),
    );
  addConfigFlags(withRunFlags(doctor), "train");
  const evals = doctor
    .enablePositionalOptions()
    .command("evals")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("find checks that always pass, always fail, are flaky, repeat or leak")
    .option("--call", "also try the judge, which takes calls", false)
    .action(async (skill: string | undefined, { call }: { call: boolean }, command: Command) =>
      (await import("./commands/doctor-evals-command.ts")).doctorEvalsCommand(
        { ...readRunFlags(skill, command), call },
        io,
      ),
    );
  addConfigFlags(withRunFlags(evals), "train");

  const draft = program
    .command("draft")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .option("--count <number>", "number of tasks", readCount, 3)
    .description("draft the most informative tasks; keep or drop each with one key")
    .action(async (skill: string | undefined, { count }: { count: number }, command: Command) =>
      (await import("./commands/draft-command.ts")).draftCommand(
        { ...readRunFlags(skill, command), count },
        io,
      ),
    );
  addConfigFlags(withRunFlags(draft), "train");

  const agree = program
    .command("judge")
    .description("find out how reliable a judge is")
    .command("agree")
    .argument("<marks>", "file of answers that you marked: rows of { task, answer, good }")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("compare the judge with your marks; calls it once per rubric")
    .action(async (marks: string, skill: string | undefined, _: unknown, command: Command) =>
      (await import("./commands/judge-command.ts")).judgeAgreeCommand(
        { ...readRunFlags(skill, command), marks },
        io,
      ),
    );
  addConfigFlags(withRunFlags(agree), "train");

  const trust = withRunFlags(program.command("trust"))
    .description("allow code, hosts and keys of this folder for unattended runs")
    .option("--yes", "allow it without asking", false)
    .option("--show", "show what is allowed and what has changed; runs nothing", false)
    .option("--forget", "revoke what was allowed", false)
    .option("--keys <file>", "keys that aren't set in this shell, as NAME=value lines")
    .action(async (flags: Pick<TrustFlags, "yes" | "show" | "forget" | "keys">, command: Command) =>
      (await import("./commands/trust-command.ts")).trustCommand(
        { ...flags, ...readCommonFlags(command), given: readConfigFlags(command, "trust") },
        io,
      ),
    );
  addConfigFlags(trust, "trust");

  program
    .command("init")
    .description("find your skill, evals and agents here, and write a config")
    .option("--draft <n>", "let the optimizer draft tasks from the skill, for your review", readCount)
    .option("--target <model>", "provider/model that uses the skill")
    .option("--optimizer <model>", "provider/model that proposes edits")
    .option("--base-url <url>", "OpenAI-compatible server for both models")
    .option("--from <file>", "import a SkillOpt config (YAML)")
    .option("--force", "overwrite an existing config", false)
    .option("--json", "print it as JSON", false)
    .action(async (flags: InitFlags) => (await import("./commands/init-command.ts")).initCommand(flags, io));

  program
    .command("import")
    .argument("<path>", "a task file in any known format, or a folder")
    .description("show what Whetstone understands of your evals, and convert them")
    .addOption(new Option("--format <name>", "format to read it as").choices([...importFormats]))
    .option("--drop <assert>", "leave out asserts of this type, such as similar (repeatable)", collect)
    .option("--out <path>", "write Whetstone's own JSONL to this path")
    .option("--force", "overwrite an existing file", false)
    .option("--json", "print it as JSON", false)
    .action(async (path: string, flags: ImportFlags) =>
      (await import("./commands/import-command.ts")).importCommand(path, flags, io),
    );

  program
    .command("mcp")
    .description("serve this project to a coding agent as Model Context Protocol tools")
    .action(async () => {
      const { readAllowed, readPlace } = await import("./read-config.ts");
      await (await import("../mcp/serve.ts")).serveProject(io, version, {
        place: () => readPlace({}, io),
        allowed: (given) => readAllowed({ given }, io),
      });
    });

  const plugin = program
    .command("plugin")
    .description("install Whetstone in a coding agent, or uninstall it");
  const agent = (): Argument => new Argument("<agent>", "the agent").choices([...pluginHostNames]);
  for (const verb of ["install", "uninstall"] as const)
    plugin
      .command(verb)
      .addArgument(agent())
      .description(
        verb === "install"
          ? "install as the agent's own command would, and show what was written"
          : "remove all of it",
      )
      .option("--json", "print it as JSON", false)
      .action(async (name: PluginHostName, { json }: { json: boolean }) =>
        (await import("./commands/plugin-command.ts")).changePluginCommand(verb, name, json, io),
      );
  plugin
    .command("list")
    .description("list the agents on this machine, and which have the plugin")
    .option("--json", "print it as JSON", false)
    .action(async ({ json }: { json: boolean }) =>
      (await import("./commands/plugin-command.ts")).listPluginsCommand(json, io),
    );

  program
    .command("explain")
    .argument("[code]", "an error code or an exit code (default: all codes)")
    .description("explain what an error code means, why it happens and what to do")
    .option("--json", "print it as JSON", false)
    .action(async (code: string | undefined, { json }: { json: boolean }) =>
      (await import("./commands/explain-command.ts")).explainCommand(code, json, io),
    );

  addJournalCommands(program, io);
}

/** Text that isn't a number becomes NaN, which is refused later with a better message. */
function readNumber(value: string): number {
  return value.trim() === "" ? Number.NaN : Number(value);
}
