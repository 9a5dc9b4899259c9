import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { startUi } from "./server/ui-process.ts";
import { runCli } from "./support/run-cli.ts";
import { stageNights } from "../test/support/staged-nights.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { adoptAndUndo } from "./ui/adopt-and-undo.ts";
import { type Visited, lookAtFile, lookAtServed } from "./ui/all-pages.ts";
import {
  type Findings,
  type Served,
  allLooks,
  desk,
  look,
  noFindings,
  openBrowser,
  openVisit,
} from "./ui/browse.ts";
import { builtPage } from "./ui/built-page.ts";
import { writeEveryWord } from "./ui/every-word.ts";
import { makeRuns, skillFile } from "./ui/make-runs.ts";
import { reviewNight } from "./ui/review-night.ts";
import { usePages } from "./ui/use-pages.ts";
import { watchLive } from "./ui/watch-live.ts";

export const claim =
  "Every page of the web app shows runs of each kind, a live run and a night's proposals. A standalone file works with networking off, and an empty project shows how to begin. It shows no console errors, accessibility violations, or chips that are cut or covered: in light and dark, on a phone, a desktop and a large screen. Adopting in the page writes exactly the bytes that it showed.";

const output = join(import.meta.dirname, "output/ui");

/** Options: `--seed n`. The long form leaves pictures in `proofs/output/ui/`. */
export default async function proveUi({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const built = await builtPage(log);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  using place = temporaryDirectory("ui");
  const folder = place.path;
  const journal = join(folder, ".whetstone");
  log(`seed ${seed}: a finished run of every kind, against scripted servers`);
  const runs = await makeRuns({ journal, folder, seed });
  const { steps } = await writeEveryWord(journal);
  const nights = await stageNights(folder, journal);
  const findings = noFindings();
  const checks: Record<string, boolean> = {};
  const browser = await openBrowser();
  const ui = await startUi(journal);
  try {
    const served: Served = { url: ui.url, origin: new URL(ui.url).origin };
    const visits = short ? fewVisits : allVisits;
    const pictures = short ? undefined : output;
    // those that go over every page
    const whole = visits.filter(({ only }) => only === undefined);
    checks["theChecksFindWhatIsWrong"] = await provoke(browser, served);
    checks["anEmptyFolderSaysHowToBegin"] = await lookAtNothing(browser, whole, findings);
    const shown = { ...served, runs, steps, proposal: nights.proposal.id };
    const looked = await Promise.all(visits.map((visit) => lookAtServed(browser, visit, shown, findings)));
    let pages = looked.reduce((sum, count) => sum + count, 0);
    log(`${pages} pages through whetstone ui: ${visits.map(({ looks }) => looks.name).join(", ")}`);

    Object.assign(checks, await usePages(browser, { ...served, run: runs.better, output }, findings));
    log(`used like a person would: ${spell(checks)}`);
    const mine = { run: runs.better, skillFile: skillFile({ folder }), output };
    const adopted = await adoptAndUndo(browser, { ...served, ...mine }, findings);
    log(`adopted and undone in the page: ${spell(adopted)}`);
    const night = { ...served, nights, looks: desk, output: pictures };
    const reviewed = await reviewNight(browser, night, findings);
    log(`a night's proposal, reviewed in the page: ${spell(reviewed)}`);
    const looks = visits.map((visit) => visit.looks);
    const watched = { ...served, journal, seed: seed + 3, looks, output: pictures };
    const live = await watchLive(browser, watched, findings);
    log(`a live run, never reloaded: ${spell(live)}`);
    Object.assign(checks, adopted, reviewed, live);

    const file = await writeFile(folder, runs.better);
    for (const visit of whole)
      pages += await lookAtFile(browser, visit, { file, run: runs.better }, findings);
    log(`standalone file of ${kb(statSync(file).size)} kB, networking off; ${pages} pages in all`);

    log(
      "not covered: browsers other than Chromium, fonts other than this machine's, people with screen readers",
    );
    for (const [kind, found] of Object.entries(findings) as [string, readonly string[]][])
      for (const line of found.slice(0, 10)) log(`${kind}: ${line}`);
    const failed = Object.keys(checks).filter((name) => checks[name] !== true);
    if (failed.length > 0) log(`failed: ${failed.join(", ")}`);
    const page = readFileSync(built);
    return {
      ok: failed.length === 0 && Object.values(findings).every((found) => found.length === 0),
      figures: {
        seed,
        pages,
        ...Object.fromEntries(Object.entries(findings).map(([kind, found]) => [kind, found.length])),
        checks,
        appKb: kb(page.length),
        appGzipKb: kb(gzipSync(page).length),
        fileKb: kb(statSync(file).size),
      },
    };
  } finally {
    await browser.close();
    await ui.interrupt();
  }
}

const allVisits: readonly Visited[] = allLooks.map((looks) => ({ looks, output, axe: true }));

/** Each width once, both schemes: every page on a phone, those with most chips elsewhere; axe goes over the former. */
const fewVisits: readonly Visited[] = allLooks
  .filter(({ name }) => ["1360-light", "390-dark", "1920-light"].includes(name))
  .map((looks) =>
    looks.width === 390
      ? { looks, output: undefined, axe: true }
      : {
          looks,
          output: undefined,
          axe: false,
          only: ["runs", "tasks", "all-steps", "prune", "unproven-proposal"],
        },
  );

/** A page that was spoilt on purpose: checks that see nothing there prove nothing elsewhere. */
async function provoke(browser: Browser, { url, origin }: Served): Promise<boolean> {
  const findings = noFindings();
  const { context, page } = await openVisit(browser, desk, findings, { origin });
  await page.goto(url);
  await page.locator("main h1").first().waitFor();
  await page.evaluate(
    `console.error('spoilt');
    document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><p id="wide">wide</p><p id="tight"><span class="badge">back to the original</span></p><p id="over"><span class="badge">one</span><span class="badge">two</span></p>');
    document.querySelector('#wide').style.width = '3000px';
    document.querySelector('#tight .badge').style.cssText = 'display: block; width: 40px; overflow: hidden';
    document.querySelector('#over .badge + .badge').style.marginLeft = '-20px';`,
  );
  await look(page, "spoilt", findings);
  await context.close();
  const { foreignRequests: _, ...found } = findings;
  return Object.values(found).every((list) => list.length > 0);
}

/** `whetstone ui` in a folder without a journal: it serves, says what to type, and ends well. */
async function lookAtNothing(
  browser: Browser,
  visits: readonly Visited[],
  findings: Findings,
): Promise<boolean> {
  using place = temporaryDirectory("ui-empty");
  const ui = await startUi(join(place.path, ".whetstone"), place.path);
  let isSaid = true;
  for (const { looks, axe, output: pictures } of visits) {
    const visit = await openVisit(browser, looks, findings, { origin: new URL(ui.url).origin });
    await visit.page.goto(ui.url);
    const picture = pictures === undefined ? {} : { picture: join(pictures, `empty-${looks.name}.png`) };
    await look(visit.page, `empty ${looks.name}`, findings, { axe, ...picture });
    isSaid &&= await visit.page.getByText("npx whetstone demo", { exact: true }).isVisible();
    await visit.context.close();
  }
  const { code } = await ui.interrupt();
  return isSaid && code === 0;
}

/** The report of a run as one file. */
async function writeFile(folder: string, run: string): Promise<string> {
  const file = join(folder, "report.html");
  const args = ["report", run, "--format", "html", "--out", file, "--journal", join(folder, ".whetstone")];
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const { code, printed } = await runCli(args, { cwd: folder, env });
  if (code !== 0) throw new Error(`whetstone report failed: ${printed}`);
  return file;
}

const kb = (bytes: number): number => Math.round(bytes / 1000);

const spell = (checks: Readonly<Record<string, boolean>>): string =>
  Object.entries(checks)
    .map(([name, holds]) => `${holds ? "" : "NOT "}${name}`)
    .join(", ");
