import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PrPlace } from "./run-pr.ts";

/** What somebody might change in a report that is handed on: a place in its data, and what is written there. */
const edits: Readonly<Record<string, readonly [path: string, value: unknown]>> = {
  "the verdict": ["summary.verdict", "better"],
  "the verdict of the claim": ["summary.claim.verdict", "better"],
  "the verdict at the top": ["overview.verdict", "better"],
  "the sentence at the top": ["overview.sentence", "Better: +100.0 points."],
  "the difference": ["summary.claim.difference", 0.5],
  "an end of the interval": ["summary.claim.interval.low", 0.4],
  p: ["summary.claim.p", 1e-9],
  "the bar": ["summary.claim.alpha", 0.5],
  "the score before": ["summary.before.score", 0.1],
  "the score after": ["summary.after.score", 1],
  "the number of tasks": ["summary.tasks", 400],
  "the number of trials": ["summary.trials", 9],
  "the tasks that were won": ["summary.claim.wins", 12],
  "the p of the sealed test": ["sealed.p", 1e-9],
};

/** `whetstone verify` on a report as it is, and with `some` or all of these changed; gives what it didn't find. */
export function editedReports({ cli, home, cwd, journal = "" }: PrPlace, some = Infinity): readonly string[] {
  const file = join(home, "../report.html");
  const whetstone = (...args: readonly string[]) =>
    spawnSync(process.execPath, [cli, ...args], {
      cwd,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" },
    });
  whetstone("report", "--journal", journal, "--out", file);
  const html = readFileSync(file, "utf8");
  const verify = () => whetstone("verify", file, "--json");
  const asItIs = verify();
  const problems =
    asItIs.status === 0 ? [] : [`verify refuses an honest report: ${asItIs.stdout}${asItIs.stderr}`];
  for (const [what, [path, value]] of Object.entries(edits).slice(0, some)) {
    writeFileSync(file, edited(html, path, value));
    const { status, stdout } = verify();
    if (status !== 1)
      problems.push(`verify doesn't find that ${what} was changed: exit ${status}: ${stdout}`);
  }
  return problems;
}

const start = '<script type="application/json" id="whetstone-data">';

function edited(html: string, path: string, value: unknown): string {
  const at = html.indexOf(start) + start.length;
  const end = html.indexOf("</script", at);
  const data = JSON.parse(html.slice(at, end)) as { readonly report: Record<string, unknown> };
  const names = path.split(".");
  const last = names.pop() ?? "";
  const row = names.reduce((inner, name) => inner[name] as Record<string, unknown>, data.report);
  if (!(last in row)) throw new Error(`A report has no ${path}.`);
  row[last] = value;
  return `${html.slice(0, at)}${JSON.stringify(data).replaceAll("<", String.raw`\u003C`)}${html.slice(end)}`;
}
