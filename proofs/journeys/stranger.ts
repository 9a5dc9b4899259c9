import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTerminal } from "../../test/support/tmux.ts";
import { type Read, flat, readPages, whereRead } from "./known-words.ts";

/** Somebody who has read the pages, in a terminal of their own. */
export interface Stranger extends AsyncDisposable {
  /** The project. */
  readonly cwd: string;
  /** All that their shell has. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Types a line and waits for its end. A command of ours that stands nowhere is a fault, and is typed all the same.
   * `answer` gives what to type to a question: the last line, when nothing more comes.
   */
  type(line: string, answer?: (question: string) => string | undefined): Promise<Shown>;
  /** Something typed elsewhere, such as by a workflow. */
  note(line: string, shown: Shown): void;
  /** So it should be, at this point of the way. */
  expect(fact: string, isTrue: boolean): void;
  readonly way: Way;
}

export interface Shown {
  readonly code: number;
  /** Lines as they were printed, without breaks at the edge. */
  readonly text: string;
  readonly ms: number;
}

/** What a stranger did, and what was wrong on the way. */
export interface Way {
  /** Commands of ours, each with the place where it was read. */
  readonly commands: { readonly line: string; readonly where: string; readonly shown: Shown }[];
  /** Lines for programs that a developer knows anyway: git, npm, node. */
  readonly others: string[];
  readonly faults: string[];
  /** The longest time in which a running command printed nothing. */
  silentMs: number;
  silentAt: string;
}

export interface StrangerPlan {
  readonly name: string;
  readonly cwd: string;
  readonly home: string;
  readonly path: string;
}

const longestMs = 600_000;
const marker = (nth: number): RegExp => new RegExp(`^ended${nth}:(\\d+)$`, "m");

export async function meetStranger({ name, cwd, home, path }: StrangerPlan): Promise<Stranger> {
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: path,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "xterm",
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
  };
  const config = join(home, "tmux.conf");
  writeFileSync(config, "set -g history-limit 50000\n");
  const terminal = await openTerminal({ columns: 150, rows: 50, cwd: home, env, config });
  const pages = readPages();
  const printed: Read[] = [];
  const way: Way = { commands: [], others: [], faults: [], silentMs: 0, silentAt: "" };
  let nth = 0;

  function note(line: string, shown: Shown): void {
    const command = line.replace(/^npx /, "");
    if (command.startsWith("whetstone")) {
      // the latest is what a person has before their eyes
      const where = whereRead(command, [...printed.toReversed(), ...pages]);
      if (where === undefined) way.faults.push(`${name}: nobody can know \`${line}\``);
      way.commands.push({ line, where: where ?? "nowhere", shown });
      printed.push({
        where: `what \`${command.split(" ").slice(0, 2).join(" ")}\` printed`,
        text: flat(shown.text),
        isPrinted: true,
      });
    } else way.others.push(line);
  }

  async function enter(line: string, answer?: (question: string) => string | undefined): Promise<Shown> {
    nth += 1;
    let answeredAt = 0;
    const began = performance.now();
    await terminal.type(`${line}; echo ended''${nth}:$?`);
    let [length, since] = [0, performance.now()];
    while (performance.now() - began < longestMs) {
      await sleep(100);
      const raw = terminal.raw();
      const now = performance.now();
      if (raw.length !== length) [length, since] = [raw.length, now];
      else if (line.includes("whetstone") && now - since > way.silentMs)
        [way.silentMs, way.silentAt] = [now - since, line];
      if (answer !== undefined && length > answeredAt && now - since > 400) {
        const question = (await terminal.screen()).findLast((shown) => shown.trim() !== "") ?? "";
        const reply = answer(question);
        if (reply !== undefined) {
          answeredAt = length;
          await terminal.type(reply);
        }
      }
      if (!raw.includes(`ended${nth}:`)) continue;
      const history = await terminal.tmux("capture-pane", "-p", "-J", "-S", "-50000");
      const code = marker(nth).exec(history)?.[1];
      if (code === undefined) continue;
      const [, after = ""] = history.split(`echo ended''${nth}:$?`);
      return { code: Number(code), text: after.slice(0, after.search(marker(nth))), ms: now - began };
    }
    way.faults.push(`${name}: \`${line}\` did not end`);
    return { code: -1, text: (await terminal.screen()).join("\n"), ms: longestMs };
  }

  await enter(`cd '${cwd}'`);
  return {
    cwd,
    env,
    way,
    note,
    async type(line, answer) {
      const shown = await enter(line, answer);
      note(line, shown);
      return shown;
    },
    expect(fact, isTrue) {
      if (!isTrue) way.faults.push(`${name}: ${fact}, not so`);
    },
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

/** The first command of this kind in the next steps that were printed last. */
export function nextIn({ text }: Shown, kind: string): string | undefined {
  const step = [...flat(text).matchAll(/(?:next|Next):? +(.*?)(?= more: | Next: |$)/g)].at(-1)?.[1];
  return new RegExp(`npx whetstone ${kind}(?: (?:--[\\w-]+|[0-9a-f]{8,16}))*`).exec(step ?? "")?.[0];
}
