import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What went wrong while pages were looked at. */
export interface Findings {
  readonly consoleErrors: string[];
  /** Serious or critical, by axe-core. */
  readonly violations: string[];
  /** Pages wider than the window. */
  readonly overflows: string[];
  /** Requests that left for anywhere but the page's own server or file. */
  readonly foreignRequests: string[];
}

export const noFindings = (): Findings => ({
  consoleErrors: [],
  violations: [],
  overflows: [],
  foreignRequests: [],
});

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking"],
  });

export interface Looks {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly width: number;
  readonly height: number;
}

export const allLooks: readonly Looks[] = [
  { name: "light", colorScheme: "light", width: 1280, height: 900 },
  { name: "dark", colorScheme: "dark", width: 1280, height: 900 },
  { name: "light-phone", colorScheme: "light", width: 390, height: 844 },
  { name: "dark-phone", colorScheme: "dark", width: 390, height: 844 },
];

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** A fresh browser profile whose console and requests are written down. `offline`: nothing is reachable. */
export async function openVisit(
  browser: Browser,
  { colorScheme, width, height }: Looks,
  findings: Findings,
  { origin, offline = false }: { readonly origin: string; readonly offline?: boolean },
): Promise<Visit> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, offline });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      findings.consoleErrors.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => findings.consoleErrors.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) findings.foreignRequests.push(url);
  });
  return { context, page };
}

/** Waits until a page has its content, then checks it and takes its picture. */
export async function look(page: Page, name: string, path: string, findings: Findings): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
  await page.waitForTimeout(100);
  await page.screenshot({ path, fullPage: true });
  const wider = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  if (wider > 0) findings.overflows.push(`${name}: ${wider} px wider than the window`);
  findings.violations.push(...(await findViolations(page)).map((violation) => `${name}: ${violation}`));
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) => `${impact} ${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 160)}`);
}
