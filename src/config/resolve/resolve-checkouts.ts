import { type Checkouts, openCheckouts } from "../../adapters/workspaces/git-checkout.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Config } from "../schema.ts";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Working copies of the current repository, if a task starts from a commit. */
export async function projectCheckouts(
  tasks: readonly Task[],
  config: Config,
  place: Place,
): Promise<Checkouts | undefined> {
  return tasks.every(({ checkout }) => checkout === undefined)
    ? undefined
    : openProjectCheckouts(config, place);
}

/** Working copies of the repository that contains a folder. */
export function openProjectCheckouts({ sleep = {} }: Config, { cwd, env }: Place): Promise<Checkouts> {
  const { dependencies = [] } = sleep;
  const { PATH: path } = env;
  return openCheckouts({ repo: cwd, dependencies, path });
}

/** Checked now, before we pay for the first rollout. */
export async function refuseUnknownCommits(tasks: readonly Task[], checkouts: Checkouts): Promise<void> {
  const known = new Map<string, boolean>();
  for (const { id, checkout } of tasks) {
    if (checkout === undefined) continue;
    const isKnown = known.get(checkout) ?? (await checkouts.has(checkout));
    known.set(checkout, isKnown);
    if (isKnown) continue;
    throw new WhetstoneError(
      "tasks-invalid",
      `Task ${id} starts from commit ${checkout.slice(0, 12)}, which isn't in this repository.`,
      { hint: "Fetch the commit, fix `checkout`, or leave the task out." },
    );
  }
}
