import { join } from "node:path";
import type { Browser } from "playwright-core";
import { train } from "../../src/index.ts";
import { createDemo } from "../../src/run/demo-world.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { type Findings, type Looks, type Served, desk, look, openVisit } from "./browse.ts";

export interface LiveVisit extends Served {
  readonly journal: string;
  readonly seed: number;
  /** In which its picture is taken. */
  readonly looks: readonly Looks[];
  readonly output: string | undefined;
}

/** Opens a run that is going on and touches nothing: the page has to follow it by itself. */
export async function watchLive(
  browser: Browser,
  { url, origin, journal, seed, looks, output }: LiveVisit,
  findings: Findings,
): Promise<Record<string, boolean>> {
  const demo = createDemo({ seed });
  const latency = { kind: "uniform", minMs: 50, maxMs: 200 } as const;
  await using server = await startScriptedServer({ seed, world: demo.world, latency, record: false });
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  const running = train({
    ...demo.config(server.url),
    tasks: demo.world.splits({ train: 80, val: 40, test: 20 }),
    batchSize: 10,
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
    const stays = (await page.evaluate("scrollY")) === scroll;
    const tells = await page
      .getByRole("status")
      .filter({ hasText: /^About [\d:]+ left/ })
      .count();
    for (const { name, width, height, colorScheme } of looks) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const picture = output === undefined ? {} : { picture: join(output, `live-run-${name}.png`) };
      await look(page, `live run ${name}`, findings, { axe: output !== undefined, ...picture });
    }
    stop.abort();
    await running;
    const ended = await page
      .getByRole("heading", { name: /^Stopped/ })
      .waitFor()
      .then(
        () => true,
        () => false,
      );
    const picture = output === undefined ? {} : { picture: join(output, "stopped-run.png") };
    await look(page, "stopped run", findings, picture);
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
