import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";

const misfitSource = readFileSync(new URL("find-misfits.js", import.meta.url), "utf8");
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What went wrong while pages were looked at. */
export interface Findings {
  readonly consoleErrors: string[];
  /** Of any weight, by axe-core. */
  readonly violations: string[];
  /** Pages wider than the window. */
  readonly overflows: string[];
  /** Chips, buttons and cells that hold more than they show. */
  readonly clipped: string[];
  /** Chips that cover each other. */
  readonly overlaps: string[];
  /** Requests that left for anywhere but the page's own server or file. */
  readonly foreignRequests: string[];
}

export const noFindings = (): Findings => ({
  consoleErrors: [],
  violations: [],
  overflows: [],
  clipped: [],
  overlaps: [],
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

/** Desk, phone and large screen. */
const sizes = [
  [1360, 900],
  [390, 844],
  [1920, 1080],
] as const;

export const allLooks: readonly Looks[] = sizes.flatMap(([width, height]) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    name: `${width}-${colorScheme}`,
    colorScheme,
    width,
    height,
  })),
);

/** Where a person sits. */
export const [desk] = allLooks as readonly [Looks, ...Looks[]];

/** Where the app is. */
export interface Served {
  readonly url: string;
  readonly origin: string;
}

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

export interface LookOptions {
  /** Where its picture goes; none is taken otherwise. */
  readonly picture?: string;
  /** Whether axe-core goes over it. @default true */
  readonly axe?: boolean;
}

/** Waits until a page has its content, then measures and checks it. */
export async function look(
  page: Page,
  name: string,
  findings: Findings,
  { picture, axe = true }: LookOptions = {},
): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
  // tables measure themselves after the page
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
  const wider = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  if (wider > 0) {
    const widest = await page.evaluate<string>(
      "[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`).slice(-3).join('; ')",
    );
    findings.overflows.push(`${name}: ${wider} px wider than the window (${widest})`);
  }
  const { clipped, overlaps } = await page.evaluate<Misfits>(misfitSource);
  findings.clipped.push(...clipped.map((words) => `${name}: ${words}`));
  findings.overlaps.push(...overlaps.map((words) => `${name}: ${words}`));
  if (axe) findings.violations.push(...(await findViolations(page)).map((words) => `${name}: ${words}`));
}

type Misfits = Pick<Findings, "clipped" | "overlaps">;

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
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 160)}`,
  );
}
