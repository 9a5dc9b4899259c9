import { agentOf, markIn } from "../adapters/agents/agent-marks.ts";
import { type ProcessFacts, isReachable, readAncestors } from "../adapters/process-tree.ts";
import { readEnv } from "../config/env.ts";
import { WhetstoneError } from "../core/errors.ts";

let doubt: Promise<string | undefined> | undefined;

/**
 * Why this process can't act for a person, as the end of a sentence; undefined in a person's own terminal. An agent can
 * open a pseudo-terminal, but it can't choose its parent processes.
 */
export const findDoubt = (): Promise<string | undefined> => (doubt ??= lookForAgent());

/** For tests and proofs, which no person starts. The package doesn't export it. */
export function takeWordAsGiven(): void {
  doubt = Promise.resolve(undefined);
}

/** Refuses a command that only a person may run, unless it was started from a person's own terminal. */
export async function requireWord(command: string): Promise<void> {
  const found = await findDoubt();
  if (found === undefined) return;
  throw new WhetstoneError("not-confirmed", `\`${command}\` needs a person's word, and ${found}.`, {
    hint: `Nothing was changed. Run it in your own terminal, outside any agent, or click in a \`whetstone ui\` that you started there.`,
  });
}

async function lookForAgent(): Promise<string | undefined> {
  const variables = Object.entries(readEnv()).flatMap(([name, value]) => (value ? [name] : []));
  const mark = markIn(variables);
  if (mark !== undefined) return `${mark.title} started this (${mark.variable} is set)`;
  return doubtOf(await readAncestors(), { isReachable });
}

/** Evidence in a chain of processes, this one first, that no person started it. */
export function doubtOf(
  chain: readonly ProcessFacts[],
  reach: { readonly isReachable: (pid: number) => boolean },
): string | undefined {
  for (const { name, argv, pid, variables } of chain) {
    const agent = agentOf(name, argv) ?? markIn(variables)?.title;
    if (agent !== undefined) return `${agent} started this (process ${pid})`;
  }
  const [self] = chain;
  const top = chain.at(-1);
  if (self === undefined || top === undefined) return "the processes above this one can't be read";
  if (self.terminal === "" || !hasConsole()) return "this has no terminal";
  const begun = leaderOf(chain, self);
  const holder = chain[begun + 1];
  const isCut = process.platform !== "win32" && top.parent !== 0;
  if (begun < 0 || isCut || (holder === undefined && chain[begun]?.parent !== 0))
    return "the process that started this has ended or can't be read";
  if (holder === undefined) return undefined;
  if (isService(holder)) return `${holder.name} started this, and not a terminal`;
  const above = chain[begun + 2];
  const isAlone = above === undefined ? false : above.pid === 1 || isService(above);
  return isAlone && holder.user === self.user && !reach.isReachable(holder.pid)
    ? `nobody can be sitting at this terminal (${holder.name} opened it)`
    : undefined;
}

/** The index of the process that began this terminal's session; -1 if it isn't among the parents. */
const leaderOf = (chain: readonly ProcessFacts[], { session, terminal }: ProcessFacts): number => {
  if (session !== undefined) return chain.findIndex(({ pid }) => pid === session);
  if (process.platform === "win32") return 0;
  const outside = chain.findIndex((one) => one.terminal !== terminal);
  return (outside < 0 ? chain.length : outside) - 1;
};

/** These start timers, units and desktop agents. */
const isService = ({ name }: ProcessFacts): boolean => ["systemd", "launchd"].includes(name);

/** On Windows a process doesn't belong to a terminal, so one of its streams must be one. */
const hasConsole = (): boolean =>
  process.platform !== "win32" || [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
