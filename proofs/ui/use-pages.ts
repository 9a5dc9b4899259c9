import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Findings, type Served, desk, noFindings, openVisit } from "./browse.ts";
import { comes } from "./comes.ts";
import { go } from "./all-pages.ts";

/** Keys, search, theme, three clicks to a transcript, and what is said where something is missing. */
export async function usePages(
  browser: Browser,
  { url, origin, run, output }: Served & { readonly run: string; readonly output: string },
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

  // typed and not filled in: what moves after a person's key does not count as a jump
  await page.locator('input[type="search"]').click();
  await page.keyboard.type("no such run");
  checks["searchSaysThatNothingMatches"] = await comes(page.getByText("No run matches"));
  await page.keyboard.press("Control+a");
  await page.keyboard.type("demo");
  await page.locator(".virtual-table tr[tabindex='0']").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".verdict h1");
  checks["enterOpensTheRun"] = /#\/run\/\w+$/.test(page.url());

  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  await page.emulateMedia({ colorScheme: "dark" });
  checks["themeFollowsTheSystem"] = (await ground()) !== light;

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
