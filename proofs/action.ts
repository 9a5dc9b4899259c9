import { pullRequests } from "./action/pull-requests.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "the action's own steps keep one comment over three pushes to a pull request, cost nothing where no skill changed, refuse a worse one, ask no registry of the pull request's .npmrc, and say in a fork without a key that nothing was measured; what a pull request may try: `npm run -s proof forge`; how often changes are called better or worse: `npm run -s proof pr-rates`";

/** It has one form. */
export default async function proveAction({ log }: ProofOptions): Promise<ProofResult> {
  log(
    "the steps of action.yml in bash, in shallow clones; a repository, GitHub's API and the model on loopback",
  );
  const { problems, comment, figures } = await pullRequests(log);
  log("the comment after the last push:");
  for (const line of comment.split("\n")) log(`  ${line}`);
  for (const problem of problems) log(`NOT: ${problem}`);
  log(
    "left out: GitHub itself (caches are folders, setup-node is this Node), npm's own registry, real models and forks",
  );
  return { ok: problems.length === 0, figures };
}
