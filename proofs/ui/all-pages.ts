import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { type Findings, type LookOptions, type Looks, type Served, look, openVisit } from "./browse.ts";
import type { MadeRuns } from "./make-runs.ts";

/** How much of it: every page with a picture, or the pages with most words and no pictures. */
export interface Visited {
  readonly looks: Looks;
  /** The folder for pictures; none are taken without one. */
  readonly output: string | undefined;
  readonly axe: boolean;
  /** Only these pages. @default all */
  readonly only?: readonly string[];
}

export interface Shown extends Served {
  readonly runs: MadeRuns;
  /** The run whose steps have had every fate. */
  readonly steps: string;
  /** Of a night. */
  readonly proposal: string;
}

/** Every page of the app in one look; returns how many. */
export async function lookAtServed(
  browser: Browser,
  visited: Visited,
  { url, origin, runs, steps, proposal }: Shown,
  findings: Findings,
): Promise<number> {
  const { context, page } = await openVisit(browser, visited.looks, findings, { origin });
  await page.goto(url);
  const places = {
    runs: "runs",
    ...pagesOf(runs.better),
    "all-steps": `run/${steps}`,
    unproven: `run/${runs.unproven}`,
    "unproven-proposal": `run/${runs.unproven}/proposal`,
    kept: `run/${runs.kept}`,
    "kept-proposal": `run/${runs.kept}/proposal`,
    prune: `run/${runs.prune}`,
    "prune-skill": `run/${runs.prune}/skill`,
    "prune-proposal": `run/${runs.prune}/proposal`,
    comparison: `run/${runs.compare}`,
    agent: `run/${runs.agent}`,
    "agent-task": `run/${runs.agent}/task/note-1`,
    proposals: "proposals",
    night: `proposals/${proposal}`,
    nowhere: "else",
  };
  const count = await lookAtAll(page, places, "served", visited, findings);
  await context.close();
  return count;
}

/** The pages of a standalone file, with networking off. */
export async function lookAtFile(
  browser: Browser,
  visited: Visited,
  { file, run }: { readonly file: string; readonly run: string },
  findings: Findings,
): Promise<number> {
  const url = pathToFileURL(file).href;
  const { context, page } = await openVisit(browser, visited.looks, findings, { origin: url, offline: true });
  await page.goto(url);
  await page.waitForSelector("main h1");
  const count = await lookAtAll(page, pagesOf(run), "file", visited, findings);
  await context.close();
  return count;
}

/** What a place is called that a click leads to. */
const firstTask = "";

const pagesOf = (run: string): Readonly<Record<string, string>> => ({
  run: `run/${run}`,
  step: `run/${run}/step/2`,
  skill: `run/${run}/skill`,
  tasks: `run/${run}/tasks`,
  task: firstTask,
  proposal: `run/${run}/proposal`,
});

async function lookAtAll(
  page: Page,
  places: Readonly<Record<string, string>>,
  kind: "served" | "file",
  { looks, output, axe, only }: Visited,
  findings: Findings,
): Promise<number> {
  const wanted = Object.entries(places).filter(([name]) => only?.includes(name) ?? true);
  for (const [name, hash] of wanted) {
    // the first task of the list, as a person opens it
    if (hash === firstTask) await page.locator(".virtual-table tbody a").first().click();
    else await go(page, hash);
    const options: LookOptions = {
      axe,
      ...(output === undefined ? {} : { picture: join(output, `${kind}-${name}-${looks.name}.png`) }),
    };
    await look(page, `${kind} ${name} ${looks.name}`, findings, options);
  }
  return wanted.length;
}

export const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);
