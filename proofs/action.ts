import { pullRequests } from "./action/pull-requests.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "The action's own steps keep one comment over three pushes to a pull request. They cost nothing if no skill changed, refuse a worse one, and ask no registry from the pull request's .npmrc. In a fork without a key they say that nothing was measured. For attacks by a pull request, see `npm run -s proof forge`; for how often changes are called better or worse, `npm run -s proof pr-rates`.";

/** It has one form. */
export default async function proveAction({ log }: ProofOptions): Promise<ProofResult> {
  log(
    "the steps of action.yml run in bash, in shallow clones; a repository, GitHub's API and the model are on loopback",
  );
  const { problems, comment, figures } = await pullRequests(log);
  log("the comment after the last push:");
  for (const line of comment.split("\n")) log(`  ${line}`);
  for (const problem of problems) log(`NOT: ${problem}`);
  log(
    "not covered: GitHub itself (caches are folders, setup-node is this Node), npm's own registry, real models and forks",
  );
  return { ok: problems.length === 0, figures };
}
