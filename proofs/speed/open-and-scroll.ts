import type { Browser } from "playwright-core";

export interface Opened {
  /** From the beginning of the navigation. */
  readonly firstChartMs: number;
  readonly longestFrameMs: number;
  readonly frames: number;
  /** Tasks in the table that was scrolled. */
  readonly rows: number;
}

/** Opens a run's page in a fresh browser and scrolls through its tasks for five seconds, as far as that goes. */
export async function openAndScroll(browser: Browser, url: string, run: string): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(watchForChart);
  await page.goto(`${url}#/run/${run}`);
  const firstChartMs = Math.round(await page.evaluate<number>("window.firstChart"));
  await page.evaluate(`location.hash = "#/run/${run}/tasks"`);
  await page.locator("main table tbody tr").first().waitFor();
  await page.waitForTimeout(500);
  const scrolled = await page.evaluate<Omit<Opened, "firstChartMs">>(scrollTable);
  return { firstChartMs, ...scrolled };
}

const watchForChart = `
  window.firstChart = new Promise((done) => {
    const look = () =>
      requestAnimationFrame(() =>
        document.querySelector("figure.chart svg path") === null ? look() : done(performance.now()));
    look();
  });`;

const scrollTable = `new Promise((done) => {
  const table = document.querySelector("main table");
  let box = table.parentElement;
  while (box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
  const frames = [];
  const started = performance.now();
  let [last, step] = [started, 120];
  const scroll = (now) => {
    frames.push(now - last);
    last = now;
    const end = box.scrollHeight - box.clientHeight;
    if (box.scrollTop >= end - 1) step = -120;
    if (box.scrollTop <= 0) step = 120;
    box.scrollTop += step;
    if (now - started < 5000) requestAnimationFrame(scroll);
    else
      done({
        longestFrameMs: Math.round(Math.max(...frames.slice(1))),
        frames: frames.length,
        rows: Number(table.getAttribute("aria-rowcount") ?? 1) - 1,
      });
  };
  requestAnimationFrame(scroll);
})`;
