import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "Typing what CONTRIBUTING.md shows for a first pull request, in a clean clone, gives a green check and a commit within fifteen minutes.";

const root = join(import.meta.dirname, "..");
const most = 15;

export default async function proveFirstChange({ log }: ProofOptions): Promise<ProofResult> {
  using folder = temporaryDirectory("first-change");
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const [, section = ""] = /^## Your first pull request$([^]*?)^## /m.exec(page) ?? [];
  const blocks = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  const clone = join(folder.path, "clone");
  const type = (command: string, cwd = clone) => {
    const env = { ...process.env, GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.test" };
    const committer = { GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.test" };
    return spawnSync("bash", ["-ec", command], { cwd, encoding: "utf8", env: { ...env, ...committer } });
  };
  type(`git clone --quiet "${root}" "${clone}"`, folder.path);
  const began = performance.now();
  const { status, stdout, stderr } = type(blocks.join("\n"));
  const minutes = Math.round((performance.now() - began) / 6000) / 10;
  const printed = `${stdout}${stderr}`.trim().split("\n");
  for (const line of status === 0 ? printed.filter((one) => /^(?:ok|FAIL) /.test(one)) : printed.slice(-40))
    log(line);
  const subjects = type("git log --format=%s origin/HEAD..first-steps").stdout.trim();
  log(`${blocks.length} blocks typed, exit ${status}, ${minutes} min; commits: ${subjects}`);
  const isDone = status === 0 && blocks.length > 0 && subjects !== "" && minutes <= most;
  return { ok: isDone, onlyLate: status === 0 && subjects !== "", figures: { status, minutes, subjects } };
}
