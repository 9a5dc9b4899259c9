import { type Command, Help, type HelpConfiguration } from "commander";
import { commandWords } from "./command-kinds.ts";

/** Commands by what a person wants of them, each in a line, in the order of `whetstone --help`. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "First steps:": {
    start: "look around, show the price, train what fits",
    demo: "train against a scripted model on this machine",
    init: "find skill, evals and agents here, write a config",
    doctor: "check models, keys, prices, tasks and journal",
    plan: "what a run would take and could show; calls nobody",
    draft: "draft tasks to add; keep or drop each with one key",
    import: "read evals of any known format, and convert them",
    explain: "what an error code means, and what to do",
  },
  "Train and measure:": {
    train: "train a skill; the same command again resumes it",
    eval: "measure a skill on one split of the tasks",
    compare: "is one skill better than another, and how sure?",
    pr: "the skills that a branch changes, against its base",
    prune: "what each rule is worth; remove what is not missed",
    judge: "how far the judge agrees with answers you marked",
  },
  "Results:": {
    runs: "list runs; show, remove, clean up",
    review: "what is proposed, rule by rule; decide on each",
    diff: "what adopting a proposal would change",
    adopt: "put a proposal, or a part of it, into the live files",
    reject: "turn a proposal or one of its rules down for good",
    undo: "put back the exact bytes from before an adopt",
    report: "a run as one file, to look at or to hand on",
    verify: "compute a verdict again from its results",
    ui: "look at runs in the browser, live ones too",
  },
  "Wing: your coding agents:": {
    sleep: "learn rules from your own conversations, at night",
    plugin: "put Whetstone into Claude Code, Codex and others",
    mcp: "serve this project to a coding agent, as tools",
  },
  "Wing: many machines:": {
    worker: "run units of other machines' runs here",
    fleet: "workers, queues, limits, rates and what is stuck",
  },
  "Safety and storage:": {
    trust: "allow code, hosts and keys for unattended runs",
    journal: "check, salvage or move the journal",
    forget: "delete what is kept of a project, or some text",
  },
};

/** What a person needs in the first week. */
export const firstWeek = ["demo", "init", "doctor", "plan", "train", "review", "adopt", "undo"] as const;

const models = ["--target", "--judge", "--base-url", "--price"];
const caps = ["--spend-usd", "--spend-tokens", "--spend-calls", "--spend-minutes"];
const measured = ["--tasks", ...models, ...caps, "--concurrency", "--journal"];
const trained = [...measured, "--split", "--optimizer", "--effort", "--epochs"];
const checked = ["--tasks", "--split", ...models, "--optimizer", "--journal"];
const slept = ["--target", "--optimizer", "--judge", "--base-url", "--journal"];

/** Flags of the config that the short help of a command shows; what is not listed here shows all of them. */
export const usualFlags: Readonly<Record<string, readonly string[]>> = {
  train: [...trained, "--fresh", "--verbose"],
  plan: trained,
  eval: [...measured, "--verbose"],
  compare: [...measured, "--trials", "--verbose"],
  pr: [...measured, "--trials", "--max-cost", "--offline"],
  prune: [...measured, "--verbose"],
  draft: ["--tasks", "--optimizer", "--base-url", "--price", ...caps, "--journal"],
  doctor: checked,
  "doctor evals": checked,
  "judge agree": ["--tasks", "--judge", "--base-url"],
  "sleep init": [...slept, "--lookback"],
  "sleep run": [...slept, ...caps, "--lookback", "--gate", "--memory", "--verify", "--verbose"],
  "sleep note": [...slept, "--lookback"],
  "sleep dry-run": [...slept, "--lookback", "--max-conversations", "--memory"],
  "sleep preview": [...slept, "--lookback", "--max-conversations"],
  "sleep harvest": [...slept, ...caps, "--lookback"],
  "sleep schedule": [...slept, ...caps],
};

const order = Object.values(commandGroups).flatMap((commands) => Object.keys(commands));
const plain = new Help();

/** For all commands: no words that say nothing, and groups in the order of what is shown. */
export const helpLayout: HelpConfiguration = {
  visibleCommands: ({ commands, parent }) =>
    parent === null
      ? commands.toSorted((one, other) => order.indexOf(one.name()) - order.indexOf(other.name()))
      : [...commands],
  groupItems: (_, visible, groupOf) => plain.groupItems(visible, visible, groupOf),
  subcommandTerm: (command) => plain.subcommandTerm(command).replace(" [options]", ""),
  optionDescription: (option) => plain.optionDescription(option).replace(" (default: false)", ""),
};

/** `--help` shows what is used often, `--help all` everything. Where neither is asked for, nothing is hidden from suggestions. */
export function arrangeHelp(program: Command, args: readonly string[]): void {
  for (const [group, summaries] of Object.entries(commandGroups)) {
    for (const command of program.commands) {
      const summary = summaries[command.name()];
      if (summary !== undefined) command.helpGroup(group).summary(summary);
    }
  }
  const isAsked = args.some((word) => ["--help", "-h", "help"].includes(word));
  if (!isAsked || args.at(-1) === "all") return;
  hideRare(program);
  const first = program.commands.filter((command) => firstWeek.some((name) => name === command.name()));
  for (const command of first) command.helpGroup("Your first week:");
  program.configureHelp({
    ...helpLayout,
    visibleCommands: () =>
      first.toSorted((one, other) => order.indexOf(one.name()) - order.indexOf(other.name())),
  });
  program.addHelpText("after", `\n${order.length - first.length} more commands: whetstone --help all`);
}

function hideRare(command: Command): void {
  const words = commandWords(command);
  const usual = usualFlags[words];
  const rare = command.options.filter(
    ({ long, helpGroupHeading }) =>
      long === "--unattended" ||
      (usual !== undefined && helpGroupHeading !== undefined && !usual.includes(long ?? "")),
  );
  for (const option of rare) option.hideHelp();
  if (rare.length > 1)
    command.addHelpText("after", `\n${rare.length} more flags: whetstone ${words} --help all`);
  for (const inner of command.commands) hideRare(inner);
}
