import { spawn } from "node:child_process";
import { text as readText } from "node:stream/consumers";
import { onPath } from "../../adapters/on-path.ts";
import { readEnv } from "../../config/env.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type BranchCommit, type Env, gitIn } from "./branch.ts";

export interface PullRequestInput {
  readonly commit: Pick<BranchCommit, "repository" | "branch">;
  readonly title: string;
  readonly body: string;
  /** @default the environment */
  readonly env?: Env;
}

/**
 * Pushes the branch and opens a pull request with GitHub's own `gh`. Where that cannot be done, says which commands do it: the
 * commit is made, and the same command again would make no other.
 */
export async function openPullRequest({
  commit: { repository, branch },
  title,
  body,
  env = readEnv(),
}: PullRequestInput): Promise<readonly string[]> {
  const git = gitIn(repository, env);
  const remotes = (await git(["remote"])).split("\n").filter(Boolean);
  const remote = remotes.includes("origin") ? "origin" : remotes[0];
  const create = `  gh pr create --head ${branch} --title ${quote(title)} --body ${quote(body)}`;
  const commands = [`  git push ${remote ?? "origin"} ${branch}`, create];
  if (remote === undefined)
    return ["The repository has no remote. When it has one, a pull request is opened with:", ...commands];
  const gh = onPath("gh", env);
  if (gh === undefined) return ["gh is not on PATH. Open the pull request with:", ...commands];
  try {
    await gitIn(repository, env, { GIT_ALLOW_PROTOCOL: pushProtocols })([
      "push",
      "--quiet",
      remote,
      `refs/heads/${branch}:refs/heads/${branch}`,
    ]);
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return [`The branch is not pushed: ${error.message}`, whenMended, ...commands];
  }
  const child = spawn(gh, ["pr", "create", "--head", branch, "--title", title, "--body-file", "-"], {
    cwd: repository,
    env: { ...env, GH_PROMPT_DISABLED: "1" },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(body);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const [out, said, code] = await Promise.all([readText(child.stdout), readText(child.stderr), ended]);
  if (code === 0) return [`Pull request: ${out.trim()}`];
  return [`The branch is pushed, but gh says: ${said.trim()}`, whenMended, create];
}

/** What remotes are in earnest; `ext::` would start a program that the repository names. */
const pushProtocols = "file:git:http:https:ssh";

const whenMended = "Mend that, then open the pull request with:";

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
