import { asTyped } from "../../config/caller.ts";
import { Command } from "commander";
import { type CommandKind, lookOnly } from "../../adapters/look-only.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { nearestWord } from "../../core/nearest-word.ts";

/** Every command is in this list. One that isn't can only look. */
export const commandKinds: Readonly<Record<string, CommandKind>> = {
  start: "works",
  train: "works",
  eval: "works",
  compare: "works",
  pr: "works",
  prune: "works",
  plan: "works",
  doctor: "works",
  "doctor evals": "works",
  "judge agree": "works",
  init: "works",
  draft: "works",
  trust: "works",
  worker: "works",
  mcp: "works",
  "sleep init": "works",
  "sleep run": "works",
  "sleep note": "works",
  "sleep dry-run": "works",
  "sleep preview": "works",
  "sleep harvest": "works",
  "sleep schedule": "works",
  demo: "writes",
  diff: "looks",
  adopt: "writes",
  undo: "writes",
  runs: "looks",
  "runs show": "looks",
  "runs rm": "writes",
  "runs gc": "writes",
  report: "writes",
  verify: "looks",
  ui: "writes",
  import: "writes",
  "plugin install": "writes",
  "plugin uninstall": "writes",
  "plugin list": "writes",
  explain: "looks",
  "journal check": "looks",
  "journal salvage": "writes",
  "journal move": "writes",
  forget: "writes",
  fleet: "looks",
  "sleep status": "looks",
  "sleep unschedule": "writes",
  review: "writes",
  reject: "writes",
};

/** Commands that only a person may run: an agent that types one is refused (src/run/word.ts). */
export const commandsOfWord: readonly string[] = [
  "adopt",
  "undo",
  "trust",
  "journal move",
  "sleep init",
  "sleep schedule",
  "sleep unschedule",
  "plugin install",
  "plugin uninstall",
];

/** `sleep run` of `whetstone sleep run`. */
export function commandWords(command: Command): string {
  const words = [];
  for (let at: Command | null = command; at?.parent != null; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

/** A command whose action gets the powers of its kind and no more. */
export class KindCommand extends Command {
  override createCommand(name?: string): KindCommand {
    return new KindCommand(name);
  }

  /** An extra word after a command with subcommands is treated as a mistyped subcommand. */
  override error(message: string, options?: Parameters<Command["error"]>[1]): never {
    const [word = ""] = this.args;
    const inner = this.commands.map((one) => one.name());
    const near = options?.code === "commander.excessArguments" && nearestWord(word, inner);
    return super.error(near ? `unknown command '${word}'.\n(Did you mean ${near}?)` : message, options);
  }

  override action(body: Parameters<Command["action"]>[0]): this {
    return super.action((...args) => {
      const kind = commandKinds[commandWords(this)];
      const act = () => asTyped(() => body.call(this, ...args));
      return kind === "writes" || kind === "works" ? act() : lookOnly(act);
    });
  }
}

/** Only a command of the kind `works` may read a config. */
export function refuseReader(command: Command): void {
  const words = commandWords(command);
  if (commandKinds[words] === "works") return;
  throw new WhetstoneError(
    "failed",
    `\`whetstone ${words}\` isn't listed as a command that runs the project's code.`,
  );
}
