import { agentOf, markIn } from "../adapters/agents/agent-marks.ts";
import { type ProcessFacts, isReachable, readAncestors } from "../adapters/process-tree.ts";
import { readEnv } from "../config/env.ts";
import { WhetstoneError } from "../core/errors.ts";

let doubt: Promise<string | undefined> | undefined;

/**
 * Why this process can't speak for a person, as the end of a sentence; undefined in a person's own terminal. An agent can
 * open a pseudo-terminal, but not choose who its parents are.
 */
export const findDoubt = (): Promise<string | undefined> => (doubt ??= lookForAgent());

/** For tests and proofs, which no person starts. No entry of the package exports it. */
export function takeWordAsGiven(): void {
  doubt = Promise.resolve(undefined);
}

/** Refuses what only a person may do, unless a person's own terminal started it. */
export async function requireWord(command: string): Promise<void> {
  const found = await findDoubt();
  if (found === undefined) return;
  throw new WhetstoneError("not-confirmed", `\`${command}\` needs a person's word, and ${found}.`, {
    hint: `Nothing was changed. Type it in a terminal of your own, outside of any agent, or click in a \`whetstone ui\` that you started there.`,
  });
}

async function lookForAgent(): Promise<string | undefined> {
  const variables = Object.entries(readEnv()).flatMap(([name, value]) => (value ? [name] : []));
  const mark = markIn(variables);
  if (mark !== undefined) return `${mark.title} started this (${mark.variable} is set)`;
  return doubtOf(await readAncestors(), { isReachable });
}

/** What a chain of processes, this one first, says against a person. */
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

/** Where the session of this terminal begins; -1 if that process is none of the parents. */
const leaderOf = (chain: readonly ProcessFacts[], { session, terminal }: ProcessFacts): number => {
  if (session !== undefined) return chain.findIndex(({ pid }) => pid === session);
  if (process.platform === "win32") return 0;
  const outside = chain.findIndex((one) => one.terminal !== terminal);
  return (outside < 0 ? chain.length : outside) - 1;
};

/** What starts timers, units and agents of a desktop. */
const isService = ({ name }: ProcessFacts): boolean => ["systemd", "launchd"].includes(name);

/** Windows has no terminal that a process belongs to: one of its streams is one. */
const hasConsole = (): boolean =>
  process.platform !== "win32" || [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
