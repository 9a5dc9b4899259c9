import { readFileSync } from "node:fs";
import { isObject } from "../../core/json.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The facts about where a GitHub workflow runs. */
export interface Workflow {
  /** The address of GitHub's API, or of your own server's. */
  readonly api: string | undefined;
  /** `owner/name`. */
  readonly repository: string | undefined;
  /** The pull request's number; undefined if the workflow runs for something else. */
  readonly pullRequest: number | undefined;
  /** The target branch. */
  readonly base: string | undefined;
  readonly token: string | undefined;
  /** The file whose text is shown on the workflow's page. */
  readonly summary: string | undefined;
}

/** Read from the variables that every workflow step has. */
export function readWorkflow(env: Env): Workflow {
  return {
    api: env["GITHUB_API_URL"] || undefined,
    repository: env["GITHUB_REPOSITORY"] || undefined,
    pullRequest: numberIn(env["GITHUB_EVENT_PATH"]),
    base: env["GITHUB_BASE_REF"] || undefined,
    token: env["GITHUB_TOKEN"] || undefined,
    summary: env["GITHUB_STEP_SUMMARY"] || undefined,
  };
}

/** The event that started the workflow is in a file. */
function numberIn(path: string | undefined): number | undefined {
  if (!path) return undefined;
  try {
    const event: unknown = JSON.parse(readFileSync(path, "utf8"));
    const pullRequest = isObject(event) ? event["pull_request"] : undefined;
    const number = isObject(pullRequest) ? pullRequest["number"] : undefined;
    return typeof number === "number" ? number : undefined;
  } catch {
    return undefined;
  }
}
