import { type Command, Help, type HelpConfiguration } from "commander";
import { commandWords } from "./command-kinds.ts";

/** Commands grouped by purpose, one line each, in the order of `whetstone --help`. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "First steps:": {
    start: "show the price, then train what fits in ten minutes",
    demo: "train against a scripted model on this machine",
    init: "find your skill, evals and agents; write a config",
    doctor: "check models, keys, prices, tasks and journal",
    plan: "estimate cost, time and detectable gain; no API calls",
    draft: "draft tasks to add; keep or drop each with one key",
    import: "read evals in any known format, and convert them",
    explain: "explain an error code, and what to do about it",
  },
  "Train and measure:": {
    train: "train a skill; run it again to resume",
    eval: "measure a skill on one split of the tasks",
    compare: "test whether one skill is better than another",
    pr: "compare the skills a branch changes with its base",
    prune: "measure each rule's worth; remove unneeded rules",
    judge: "check how well the judge agrees with your marks",
  },
  "Results:": {
    runs: "list, show, remove and clean up runs",
    review: "see a proposal rule by rule, and decide on each",
    diff: "show what adopting a proposal would change",
    adopt: "write a proposal, or part of it, to the live files",
    reject: "reject a proposal or one of its rules for good",
    undo: "restore the exact bytes from before an adopt",
    report: "save a run as one file, to view or share",
    verify: "recompute a verdict from its results",
    ui: "view runs in the browser, including live ones",
  },
  "Wing: your coding agents:": {
    sleep: "learn rules from your own conversations, at night",
    plugin: "install Whetstone in Claude Code, Codex and others",
    mcp: "serve this project to a coding agent as tools",
  },
  "Wing: many machines:": {
    worker: "do work here for runs on other machines",
    fleet: "show workers, queues, limits, rates and stuck work",
  },
  "Safety and storage:": {
    trust: "allow code, hosts and keys for unattended runs",
    journal: "check, salvage or move the journal",
    forget: "delete a project's journal, or results with a text",
  },
};

/** The commands that people need in their first week. */
export const firstWeek = ["demo", "init", "doctor", "plan", "train", "review", "adopt", "undo"] as const;

const models = ["--target", "--judge", "--base-url", "--price"];
const caps = ["--spend-usd", "--spend-tokens", "--spend-calls", "--spend-minutes"];
const measured = ["--tasks", ...models, ...caps, "--concurrency", "--journal"];
const trained = [...measured, "--split", "--optimizer", "--effort", "--epochs"];
const checked = ["--tasks", "--split", ...models, "--optimizer", "--journal"];
const slept = ["--target", "--optimizer", "--judge", "--base-url", "--journal"];

/** Config flags that a command's short help shows. Commands that aren't listed here show all of them. */
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

/** For all commands: no filler words, and groups in the order of the commands. */
export const helpLayout: HelpConfiguration = {
  visibleCommands: ({ commands, parent }) =>
    parent === null
      ? commands.toSorted((one, other) => order.indexOf(one.name()) - order.indexOf(other.name()))
      : [...commands],
  groupItems: (_, visible, groupOf) => plain.groupItems(visible, visible, groupOf),
  subcommandTerm: (command) => plain.subcommandTerm(command).replace(" [options]", ""),
  optionDescription: (option) => plain.optionDescription(option).replace(" (default: false)", ""),
};

/** `--help` shows the common flags, `--help all` shows all. Without either nothing is hidden, so suggestions know every flag. */
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
