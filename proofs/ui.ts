import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { train } from "../src/index.ts";
import { createDemo } from "../src/run/demo-world.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { startUi } from "./server/ui-process.ts";
import { runCli } from "./support/run-cli.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import {
  type Findings,
  type Looks,
  allLooks,
  look,
  noFindings,
  openBrowser,
  openVisit,
} from "./ui/browse.ts";
import { builtPage } from "./ui/built-page.ts";
import { reviewNight } from "./ui/review-night.ts";
import { stageNights } from "../test/support/staged-nights.ts";

export const claim =
  "every page of the web app shows a finished run, a live one, what a night proposes and a standalone file with networking off: no console error, no serious accessibility violation, light and dark, desk and phone; adopting in the page writes exactly the bytes that it showed";

const output = join(import.meta.dirname, "output/ui");

/** Options: `--seed n`. Pictures go to `proofs/output/ui/`. */
export default async function proveUi({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const built = await builtPage(log);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  using place = temporaryDirectory("ui");
  const journal = join(place.path, ".whetstone");
  log(`seed ${seed}: two finished runs against a scripted server`);
  const skillFile = join(place.path, "SKILL.md");
  const finished = [
    await finish(seed, { journal, skillFile }),
    await finish(seed + 1, { journal, epochs: 1 }),
  ] as const;
  const nights = await stageNights(place.path);
  const findings = noFindings();
  const checks: Record<string, boolean> = {};
  const browser = await openBrowser();
  const ui = await startUi(journal);
  try {
    const origin = new URL(ui.url).origin;
    const looks = short ? allLooks.filter(({ name }) => name === "light" || name === "dark-phone") : allLooks;
    checks["theChecksFindWhatIsWrong"] = await provoke(browser, { url: ui.url, origin });
    let pictures = 0;
    for (const one of looks)
      pictures += await lookAtServed(
        browser,
        one,
        { url: ui.url, origin, finished, proposal: nights.proposal.id },
        findings,
      );
    log(`${pictures} pictures of pages through whetstone ui: ${looks.map(({ name }) => name).join(", ")}`);

    Object.assign(checks, await usePages(browser, { url: ui.url, origin, run: finished[0] }, findings));
    log(`used as a person would: ${spell(checks)}`);
    const adopted = await adoptAndUndo(
      browser,
      { url: ui.url, origin, run: finished[0], skillFile },
      findings,
    );
    log(`adopted and undone in the page: ${spell(adopted)}`);
    const reviewed = await reviewNight(
      browser,
      { url: ui.url, origin, nights, looks: desk, output },
      findings,
    );
    log(`a night's proposal, reviewed in the page: ${spell(reviewed)}`);
    const live = await watchLive(browser, { url: ui.url, origin, journal, seed: seed + 2 }, findings);
    log(`a live run, never reloaded: ${spell(live)}`);
    Object.assign(checks, adopted, reviewed, live);

    const file = join(place.path, "report.html");
    const wrote = await runCli(
      ["report", finished[0], "--format", "html", "--out", file, "--journal", journal],
      {
        cwd: place.path,
        env: { PATH: process.env["PATH"] ?? "", HOME: place.path },
      },
    );
    if (wrote.code !== 0) throw new Error(`whetstone report failed: ${wrote.printed}`);
    for (const one of looks) pictures += await lookAtFile(browser, one, { file, run: finished[0] }, findings);
    log(
      `standalone file of ${Math.round(statSync(file).size / 1000)} kB, networking off; ${pictures} pictures in all`,
    );

    for (const [kind, found] of Object.entries(findings) as [string, readonly string[]][])
      for (const line of found.slice(0, 10)) log(`${kind}: ${line}`);
    const failed = Object.keys(checks).filter((name) => checks[name] !== true);
    if (failed.length > 0) log(`not so: ${failed.join(", ")}`);
    const page = readFileSync(built);
    return {
      ok: failed.length === 0 && Object.values(findings).every((found) => found.length === 0),
      figures: {
        seed,
        pictures,
        consoleErrors: findings.consoleErrors.length,
        seriousViolations: findings.violations.length,
        overflows: findings.overflows.length,
        foreignRequests: findings.foreignRequests.length,
        checks,
        appKb: Math.round(page.length / 1000),
        appGzipKb: Math.round(gzipSync(page).length / 1000),
        fileKb: Math.round(statSync(file).size / 1000),
      },
    };
  } finally {
    await browser.close();
    await ui.interrupt();
  }
}

/** A finished training; its skill lives in a file where one is named, so that it can be adopted. */
async function finish(
  seed: number,
  {
    skillFile,
    ...settings
  }: { readonly journal: string; readonly skillFile?: string; readonly epochs?: number },
): Promise<string> {
  const demo = createDemo({ seed });
  await using server = await startScriptedServer({ seed, world: demo.world, record: false });
  if (skillFile !== undefined) writeFileSync(skillFile, demo.skill);
  const skill = skillFile === undefined ? {} : { skill: skillFile };
  return (await train({ ...demo.config(server.url), ...skill, ...settings })).id;
}

interface Served {
  readonly url: string;
  readonly origin: string;
}

/** A page that was spoilt on purpose: checks that see nothing there prove nothing elsewhere. */
async function provoke(browser: Browser, { url, origin }: Served): Promise<boolean> {
  const findings = noFindings();
  const { context, page } = await openVisit(browser, desk, findings, { origin });
  await page.goto(url);
  await page.evaluate(
    "console.error('spoilt'); document.body.insertAdjacentHTML('beforeend', '<button></button><p id=\"wide\">wide</p>'); document.querySelector('#wide').style.width = '3000px';",
  );
  await look(page, "spoilt", join(output, "spoilt.png"), findings);
  await context.close();
  const { consoleErrors, violations, overflows } = findings;
  return [consoleErrors, violations, overflows].every((found) => found.length > 0);
}

/** Every page in one look. */
async function lookAtServed(
  browser: Browser,
  looks: Looks,
  {
    url,
    origin,
    finished: [run, other],
    proposal,
  }: Served & { readonly finished: readonly [string, string]; readonly proposal: string },
  findings: Findings,
): Promise<number> {
  const { context, page } = await openVisit(browser, looks, findings, { origin });
  await page.goto(url);
  const places = {
    runs: "runs",
    ...pagesOf(run),
    compare: `compare/${run}/${other}`,
    proposals: "proposals",
    night: `proposals/${proposal}`,
    nowhere: "else",
  };
  const count = await lookAtAll(page, places, `served-${looks.name}`, findings);
  await context.close();
  return count;
}

async function lookAtFile(
  browser: Browser,
  looks: Looks,
  { file, run }: { readonly file: string; readonly run: string },
  findings: Findings,
): Promise<number> {
  const url = pathToFileURL(file).href;
  const { context, page } = await openVisit(browser, looks, findings, { origin: url, offline: true });
  await page.goto(url);
  await page.waitForSelector("main h1");
  const count = await lookAtAll(page, pagesOf(run), `file-${looks.name}`, findings);
  await context.close();
  return count;
}

const pagesOf = (run: string): Readonly<Record<string, string>> => ({
  run: `run/${run}`,
  step: `run/${run}/step/2`,
  skill: `run/${run}/skill`,
  tasks: `run/${run}/tasks`,
  task: "",
  proposal: `run/${run}/proposal`,
});

async function lookAtAll(
  page: Page,
  places: Readonly<Record<string, string>>,
  prefix: string,
  findings: Findings,
): Promise<number> {
  for (const [name, hash] of Object.entries(places)) {
    // the first task of the list, as a person opens it
    const next = hash === "" ? page.locator(".virtual-table tbody a").first().click() : go(page, hash);
    await next;
    await look(page, `${prefix} ${name}`, join(output, `${prefix}-${name}.png`), findings);
  }
  return Object.keys(places).length;
}

const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);

const [desk] = allLooks as [Looks, ...Looks[]];

/** Keys, search, theme, three clicks to a transcript, and what is said where something is missing. */
async function usePages(
  browser: Browser,
  { url, origin, run }: Served & { readonly run: string },
  findings: Findings,
): Promise<Record<string, boolean>> {
  const { context, page } = await openVisit(browser, desk, findings, { origin });
  await page.addInitScript(
    "globalThis.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value; }).observe({ type: 'layout-shift', buffered: true });",
  );
  await page.goto(url);
  await page.waitForSelector(".virtual-table");
  const checks: Record<string, boolean> = {};
  checks["tokenLeavesTheAddress"] = !page.url().includes("token");

  await page.keyboard.press("?");
  checks["helpOpens"] = await page.locator("dialog.help").isVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("no such run");
  checks["searchSaysThatNothingMatches"] = await page.getByText("No run matches").isVisible();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("demo");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  checks["twoRunsAreSelectedByKeys"] = await page.getByRole("link", { name: /^Compare / }).isVisible();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".verdict h1");
  checks["enterOpensTheRun"] = /#\/run\/\w+$/.test(page.url());

  await page.getByRole("button", { name: "Theme: as the system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  checks["themeSwitches"] = (await page.evaluate("document.documentElement.dataset.theme")) === "dark";

  await go(page, `run/${run}`);
  await page.waitForSelector(".chart svg");
  await page
    .locator("a", { hasText: /improved/ })
    .first()
    .click();
  await page.locator(".virtual-table tbody a").first().click();
  await page.locator(".rollout-list button").first().click();
  checks["threeClicksToATranscript"] = await page
    .locator(".transcript")
    .first()
    .waitFor({ timeout: 5000 })
    .then(
      () => true,
      () => false,
    );

  const shift = await page.evaluate<number>("shift");
  checks["nothingJumps"] = shift < 0.05;
  await context.close();

  // a run that is not there is an expected 404, which the browser itself reports
  const missing = await openVisit(browser, desk, noFindings(), { origin });
  await missing.page.goto(`${url}#/run/0000000000000000`);
  checks["missingRunIsSaid"] = await missing.page
    .getByRole("alert")
    .waitFor({ timeout: 5000 })
    .then(
      () => true,
      () => false,
    );
  await missing.page.screenshot({ path: join(output, "missing-run.png") });
  await missing.context.close();
  return checks;
}

async function adoptAndUndo(
  browser: Browser,
  { url, origin, run, skillFile }: Served & { readonly run: string; readonly skillFile: string },
  findings: Findings,
): Promise<Record<string, boolean>> {
  const { context, page } = await openVisit(browser, desk, findings, { origin });
  const before = readFileSync(skillFile, "utf8");
  /** What stands in the file after "Adopt", which is taken back. */
  const written = async (
    picture: string,
    decide: () => Promise<unknown> = async () => {},
  ): Promise<string> => {
    await page.getByRole("button", { name: "Adopt …" }).click();
    await decide();
    await page.screenshot({ path: join(output, picture) });
    await page.getByRole("button", { name: /^Write / }).click();
    await page.getByRole("button", { name: "Undo …" }).waitFor();
    const text = readFileSync(skillFile, "utf8");
    await page.getByRole("button", { name: "Undo …" }).click();
    await page.getByRole("button", { name: "Put back" }).click();
    await page.getByRole("button", { name: "Adopt …" }).waitFor();
    return text;
  };
  await page.goto(`${url}#/run/${run}/proposal`);
  const adopted = await written("adopt-asks.png");
  const undone = readFileSync(skillFile, "utf8");

  const rule = page.locator(".forest li:not(.axis)").last();
  const words = (await rule.locator(".words > span").last().innerText()).trim();
  await rule.getByRole("checkbox").uncheck();
  const part = await written("adopt-part-asks.png", () =>
    page.getByRole("checkbox", { name: "not tested by itself" }).check(),
  );
  await context.close();
  return {
    adoptWrites: adopted !== before,
    undoPutsBack: undone === before,
    partLeavesItsRuleOut: adopted.includes(words) && !part.includes(words) && part !== before,
    partIsUndone: readFileSync(skillFile, "utf8") === before,
  };
}

/** Opens a run that is going on and touches nothing: the page has to follow it by itself. */
async function watchLive(
  browser: Browser,
  { url, origin, journal, seed }: Served & { readonly journal: string; readonly seed: number },
  findings: Findings,
): Promise<Record<string, boolean>> {
  const demo = createDemo({ seed });
  const latency = { kind: "uniform", minMs: 100, maxMs: 400 } as const;
  await using server = await startScriptedServer({ seed, world: demo.world, latency, record: false });
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  const running = train({
    ...demo.config(server.url),
    journal,
    signal: stop.signal,
    onEvent: () => begun.resolve(),
  }).catch(() => {});
  const { context, page } = await openVisit(browser, desk, findings, { origin });
  try {
    await begun.promise;
    await page.goto(url);
    await page.locator(".virtual-table tbody a").first().click();
    const steps = () => page.locator(".virtual-table tbody tr[data-index]").count();
    await page.getByRole("heading", { name: /^Running: step/ }).waitFor();
    const hasSteps = await waitFor(async () => (await steps()) >= 1);
    const [first, scroll] = [await steps(), await page.evaluate("scrollTo(0, 300); scrollY")];
    const grown = await waitFor(async () => (await steps()) > first);
    await look(page, "live run", join(output, "live-run.png"), findings);
    const tells = await page
      .getByRole("status")
      .filter({ hasText: /^About [\d:]+ left/ })
      .count();
    const stays = (await page.evaluate("scrollY")) === scroll;
    stop.abort();
    await running;
    const ended = await page
      .getByRole("heading", { name: /^Stopped/ })
      .waitFor()
      .then(
        () => true,
        () => false,
      );
    await look(page, "stopped run", join(output, "stopped-run.png"), findings);
    return {
      liveRunGrows: hasSteps && grown,
      liveRunTellsTime: tells === 1,
      scrollStays: stays,
      liveRunEnds: ended,
    };
  } finally {
    stop.abort();
    await running;
    await context.close();
  }
}

async function waitFor(holds: () => Promise<boolean>, ms = 20_000): Promise<boolean> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const spell = (checks: Readonly<Record<string, boolean>>): string =>
  Object.entries(checks)
    .map(([name, holds]) => `${holds ? "" : "NOT "}${name}`)
    .join(", ");
