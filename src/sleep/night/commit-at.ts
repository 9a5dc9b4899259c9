import { runGit } from "../../run/git.ts";
import type { RawConversation } from "../../core/ports/conversation.ts";

/**
 * Most agents only record the branch. The commit is then the branch's newest one from before the conversation, or missing
 * if git no longer knows it.
 */
export async function withCommit(conversation: RawConversation): Promise<RawConversation> {
  const { commit, ...without } = conversation;
  const { branch, project, startedAt } = without;
  // a commit that a rebase left behind can't be checked out
  if (commit !== undefined && /^[0-9a-f]{7,64}$/.test(commit)) {
    const known = await git(project, ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`]);
    return known === undefined ? without : { ...without, commit: known };
  }
  if (branch === undefined || branch.startsWith("-")) return without;
  const before = `--before=@${Math.floor(startedAt / 1000)}`;
  const found = await git(project, ["rev-list", "-1", "--first-parent", before, `refs/heads/${branch}`]);
  return found === undefined ? without : { ...without, commit: found };
}

async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const said = await runGit(folder, args).catch(() => "");
  return /^[0-9a-f]{40,64}$/.exec(said.trim())?.[0];
}
