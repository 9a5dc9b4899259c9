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

/** The commands: arguments in, one call, lines out. What a command runs is loaded when it is called. */
export function createProgram(io: Io, version: string, args: readonly string[] = []): Command {
  const program = new KindCommand("whetstone")
    .description("Trains agent skills and tests the result on held-out tasks before you adopt it.")
    .version(version, "-v, --version")
    .exitOverride()
    // a flag belongs to the command that it stands behind: `doctor evals --tasks` is not of `doctor`
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
  whetstone train ./SKILL.md --tasks tasks.jsonl  models by the key that is set
  whetstone train --target ${exampleModels.openai.target} --optimizer ${exampleModels.openai.optimizer}
  whetstone train --target ${exampleModels["claude-code"].target} --optimizer ${exampleModels["claude-code"].optimizer}
  whetstone plan                                  what it would cost and show
  whetstone eval --baseline main --fail-on worse  in CI: is this change worse?
  whetstone ui                                    all of it in the browser

The flags of a command: whetstone train --help; all: whetstone train --help all`;

function addRunCommands(program: Command, io: Io): void {
  const train = program
    .command("train")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("train a skill; the same command again resumes it")
    .action(async (skill: string | undefined, _, command: Command) =>
      (await import("./commands/train-command.ts")).trainCommand(readRunFlags(skill, command), io),
    );
  addConfigFlags(withRunFlags(train), "train");

  const measure = program
    .command("eval")
    .argument("[skill]", "a file, a folder with SKILL.md, or a plugin of Claude Code with its evals")
    .description("measure a skill on one split of the tasks, or against an earlier version or none")
    .addOption(
      new Option(
        "--on <tasks>",
        "which tasks (val; with --baseline all but those that made a skill)",
      ).choices(["train", "val", "test", "all", "unseen"]),
    )
    .option("--baseline <ref>", "compare with the skill at a git ref, with another path, or with none")
    .addOption(failOn())
    .action(async (skill: string | undefined, flags: EvalFlags, command: Command) =>
      evalOrCompare({ ...readRunFlags(skill, command), ...flags }, io),
    );
  addConfigFlags(withRunFlags(measure), "measure");

  const compare = program
    .command("compare")
    .argument("<old>", "the earlier skill: a file, or a folder with SKILL.md")
    .argument("<new...>", "the skill that should be better; several are one question")
    .description("say whether one skill is better than another, and how sure that is")
    .addOption(
      new Option("--on <tasks>", "which tasks (unseen: those that made neither skill)").choices([
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
    .description("compare the skills that a branch changes with the branch it goes into")
    .option("--base <ref>", "the branch it goes into (in a workflow of GitHub: that of the pull request)")
    .addOption(
      new Option(
        "--skills <glob>",
        "main files of skills, as git globs; may be given again (**/SKILL.md)",
      ).argParser(collect),
    )
    .addOption(failOn())
    .option("--comment", "write the result on the pull request, one comment for all pushes", false)
    .option("--junit <file>", "also write JUnit's XML")
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
    .description("measure what each rule of a skill is worth, and propose to remove what nobody would miss")
    .option("--margin <points>", "the loss that must be ruled out", readNumber, 5)
    .option("--since <run>", "only rules that were not there before this run")
    .action(async (skill: string | undefined, flags: Omit<PruneFlags, keyof RunFlags>, command: Command) =>
      (await import("./commands/prune-command.ts")).pruneCommand(
        { ...flags, ...readRunFlags(skill, command) },
        io,
      ),
    );
  addConfigFlags(withRunFlags(prune), "prune");

  program
    .command("start")
    .description("show the price and train what fits into ten minutes, as `whetstone` alone does")
    .action(async () => (await import("./commands/start-command.ts")).startCommand(io));

  program
    .command("demo")
    .description("train a skill against a scripted model on this machine")
    .option("--seed <n>", "another parcel office", readCount, 1)
    .option("--fresh <word>", "an independent repetition")
    .option("--journal <folder>", "where finished work is kept (default: your state folder)")
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
  new Option("--fail-on <verdict>", "exit with 1 on this verdict").choices(failWords);

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

/** A plugin stands for its skill, its evals, and the question whether it is any better than nothing. */
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

/** Before and after money: what a run would take, how noisy the target is, and what to do with the result. */
function addProofCommands(program: Command, io: Io): void {
  const plan = program
    .command("plan")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("what a run would take, in money and time, and could show; no call is made")
    .addOption(
      new Option("--for <command>", "what is to be run")
        .choices(["train", "eval", "compare", "prune", "draft"])
        .default("train"),
    )
    .addOption(
      new Option("--on <tasks>", "which tasks (eval, compare)").choices([
        "train",
        "val",
        "test",
        "all",
        "unseen",
      ]),
    )
    .option("--baseline <ref>", "what to compare with (compare)")
    .option("--margin <points>", "the loss that must be ruled out (prune)", readNumber)
    .option("--since <run>", "only rules that were not there before this run (prune)")
    .option("--count <number>", "how many tasks to draft (draft)", readCount)
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
    .description("list runs; show, remove, clean up")
    .action(async (_, command: Command) =>
      (await import("./commands/runs-command.ts")).runsCommand(
        await findJournal(command, io),
        isJson(command),
        io,
      ),
    );
  withJournalFlags(runs).option("--json", "print one run per line", false);
  withJournalFlags(
    runs.command("show").argument("[run]", "the beginning of its id; the latest one by default"),
  )
    .description("the verdict, what would change, and what that rests on")
    .option("--json", "print it as JSON", false)
    .option("--rules", "every rule that was tried, in full", false)
    .action(async (id: string | undefined, { rules }: { rules: boolean }, command: Command) =>
      (await import("./commands/runs-command.ts")).showRunCommand(
        await findJournal(command, io),
        id,
        { json: isJson(command), rules },
        io,
      ),
    );
  withJournalFlags(runs.command("rm").argument("<run>", "the beginning of its id"))
    .description("forget a run and delete its artifacts")
    .action(async (id: string, _, command: Command) =>
      (await import("./commands/runs-command.ts")).removeRunCommand(await findJournal(command, io), id, io),
    );
  withJournalFlags(runs.command("gc"))
    .description("drop results that no remaining run bought or used")
    .action(async (_, command: Command) =>
      (await import("./commands/runs-command.ts")).gcCommand(await findJournal(command, io), io),
    );

  withJournalFlags(
    program
      .command("verify")
      .argument("<run | file>", "the beginning of a run's id; or report.html, report.json"),
  )
    .description("compute a verdict again from its results, without a model")
    .option("--json", "print it as JSON", false)
    .action(async (of: string, { json }: { json: boolean }, command: Command) =>
      (await import("./commands/verify-command.ts")).verifyCommand(
        { of, json, project: () => findProject(command, io) },
        io,
      ),
    );

  withJournalFlags(
    program.command("report").argument("[run]", "the beginning of its id; the latest by default"),
  )
    .description("a run as one file: to look at, or to hand on")
    .addOption(new Option("--format <name>", "which").choices(["html", "json"]).default("html"))
    .option("--out <file>", "where to (default: HTML here, JSON to standard output)")
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

  withJournalFlags(program.command("ui").argument("[run]", "the beginning of its id; all runs by default"))
    .description("look at runs in the browser, live ones too; adopt and undo there")
    .option("--port <n>", "a port of this machine (default: any free one)", readNumber)
    .option("--no-open", "print the address and open no browser")
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
    .description("call each model once; check agents, keys, prices, sandbox, tasks, journal and disk")
    .option(
      "--no-call",
      "make no call: by default each model gets one, with the longest prompt of a run's first",
    )
    .option("--measure", "also roll out two train tasks, so that `plan` knows what one takes", false)
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
    .description("find checks that always pass, always fail, waver, repeat or leak")
    .option("--call", "also try the judge, which costs calls", false)
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
    .option("--count <number>", "how many tasks", readCount, 3)
    .description("draft tasks that would tell most; you keep or drop each with one key")
    .action(async (skill: string | undefined, { count }: { count: number }, command: Command) =>
      (await import("./commands/draft-command.ts")).draftCommand(
        { ...readRunFlags(skill, command), count },
        io,
      ),
    );
  addConfigFlags(withRunFlags(draft), "train");

  const agree = program
    .command("judge")
    .description("find out how far a judge can be relied on")
    .command("agree")
    .argument("<marks>", "a file of answers that you marked: rows of { task, answer, good }")
    .argument("[skill]", "a file, or a folder with SKILL.md")
    .description("compare the judge with answers that you marked; calls it once per rubric")
    .action(async (marks: string, skill: string | undefined, _: unknown, command: Command) =>
      (await import("./commands/judge-command.ts")).judgeAgreeCommand(
        { ...readRunFlags(skill, command), marks },
        io,
      ),
    );
  addConfigFlags(withRunFlags(agree), "train");

  const trust = withRunFlags(program.command("trust"))
    .description("allow code, hosts and keys of this folder for what runs while nobody watches")
    .option("--yes", "allow it without being asked", false)
    .option("--show", "say what is allowed and what has changed; runs nothing", false)
    .option("--forget", "take it back", false)
    .option("--keys <file>", "keys that are not set in this shell, as NAME=value lines")
    .action(async (flags: Pick<TrustFlags, "yes" | "show" | "forget" | "keys">, command: Command) =>
      (await import("./commands/trust-command.ts")).trustCommand(
        { ...flags, ...readCommonFlags(command), given: readConfigFlags(command, "trust") },
        io,
      ),
    );
  addConfigFlags(trust, "trust");

  program
    .command("init")
    .description("find skill, evals and agents here, and write a config")
    .option("--draft <n>", "let the optimizer draft tasks from the skill, for your review", readCount)
    .option("--target <model>", "the provider/model that uses the skill")
    .option("--optimizer <model>", "the provider/model that proposes edits")
    .option("--base-url <url>", "an OpenAI-compatible server for them")
    .option("--from <file>", "take over a config of SkillOpt (YAML)")
    .option("--force", "write over a config that is there", false)
    .option("--json", "print it as JSON", false)
    .action(async (flags: InitFlags) => (await import("./commands/init-command.ts")).initCommand(flags, io));

  program
    .command("import")
    .argument("<path>", "a task file of any known format, or a folder")
    .description("show what is understood of a set of evals, and convert it")
    .addOption(new Option("--format <name>", "read it as this format").choices([...importFormats]))
    .option("--drop <assert>", "leave out asserts of this type, such as similar; may be repeated", collect)
    .option("--out <path>", "write whetstone's own JSONL there")
    .option("--force", "write over a file that is there", false)
    .option("--json", "print it as JSON", false)
    .action(async (path: string, flags: ImportFlags) =>
      (await import("./commands/import-command.ts")).importCommand(path, flags, io),
    );

  program
    .command("mcp")
    .description("serve this project to a coding agent, as tools of the Model Context Protocol")
    .action(async () => {
      const { readAllowed, readPlace } = await import("./read-config.ts");
      await (await import("../mcp/serve.ts")).serveProject(io, version, {
        place: () => readPlace({}, io),
        allowed: (given) => readAllowed({ given }, io),
      });
    });

  const plugin = program
    .command("plugin")
    .description("put Whetstone into a coding agent, and take it out again");
  const agent = (): Argument => new Argument("<agent>", "which").choices([...pluginHostNames]);
  for (const verb of ["install", "uninstall"] as const)
    plugin
      .command(verb)
      .addArgument(agent())
      .description(
        verb === "install"
          ? "do what the agent's own command would, and say what was written"
          : "take it out; nothing of it stays",
      )
      .option("--json", "print it as JSON", false)
      .action(async (name: PluginHostName, { json }: { json: boolean }) =>
        (await import("./commands/plugin-command.ts")).changePluginCommand(verb, name, json, io),
      );
  plugin
    .command("list")
    .description("which agents are here, and which have the plugin")
    .option("--json", "print it as JSON", false)
    .action(async ({ json }: { json: boolean }) =>
      (await import("./commands/plugin-command.ts")).listPluginsCommand(json, io),
    );

  program
    .command("explain")
    .argument("[code]", "the code of an error, or an exit code; all codes by default")
    .description("what an error code means, why it happens and what to do")
    .option("--json", "print it as JSON", false)
    .action(async (code: string | undefined, { json }: { json: boolean }) =>
      (await import("./commands/explain-command.ts")).explainCommand(code, json, io),
    );

  addJournalCommands(program, io);
}

/** What is no number goes on as it is: the config refuses it in its own words. */
function readNumber(value: string): number {
  return value.trim() === "" ? Number.NaN : Number(value);
}
