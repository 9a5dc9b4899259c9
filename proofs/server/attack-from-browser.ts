import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import type { Target } from "./attempts.ts";

/** What a page of another site tried in a real browser, and what it got. */
export interface BrowserAttempt {
  readonly from: string;
  readonly name: string;
  /** What could be read, or what happened that should not; null when nothing did. */
  readonly got: string | null;
}

export interface BrowserAttack {
  readonly attempts: readonly BrowserAttempt[];
  /** How many of the same attempts get something out of a server that checks nothing: they are real. */
  readonly control: { readonly worked: number; readonly of: number };
}

/**
 * Opens pages that belong to somebody else (another port of this machine, another name that leads here, an opaque origin,
 * and our own port under a rebound name) and lets each of them try everything that a script can, the token in its hands.
 */
export async function attackFromBrowser(target: Target): Promise<BrowserAttack> {
  await using foreign = await serve((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(emptyPage);
  });
  await using careless = await serve((_, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*, authorization");
    response.end("all runs");
  });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      // the browser's own walls around this machine are down: the server has to stand alone
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
      "--host-resolver-rules=MAP *.example 127.0.0.1",
    ],
  });
  try {
    const places = {
      "another port of this machine": `http://127.0.0.1:${foreign.port}/`,
      "another site": `http://evil.example:${foreign.port}/`,
      "an opaque origin": `data:text/html,${emptyPage}`,
    };
    const attempts: BrowserAttempt[] = [];
    for (const [from, url] of Object.entries(places))
      attempts.push(...(await tryFrom(browser, from, url, target)));
    attempts.push(...(await tryRebound(browser, target)));
    const control = await tryFrom(browser, "control", places["another site"], {
      ...target,
      port: careless.port,
    });
    return {
      attempts,
      control: { worked: control.filter(({ got }) => got !== null).length, of: control.length },
    };
  } finally {
    await browser.close();
  }
}

const emptyPage = "<!doctype html><title>evil</title><body></body>";

async function tryFrom(
  browser: Browser,
  from: string,
  url: string,
  { port, token, run, adoption, proposal }: Target,
): Promise<readonly BrowserAttempt[]> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.addScriptTag({ path: join(import.meta.dirname, "foreign-page.js") });
  const got: Readonly<Record<string, string | null>> = await page.evaluate(
    `tryAll(${JSON.stringify({ port, token, run, adoption, proposal })})`,
  );
  await page.close();
  return Object.entries(got).map(([name, what]) => ({ from, name, got: what }));
}

/** The name led to the attacker's page, and now leads here: to the browser it is one origin. Only the Host tells. */
async function tryRebound(
  browser: Browser,
  { port, token, run, adoption, proposal }: Target,
): Promise<readonly BrowserAttempt[]> {
  const page = await browser.newPage();
  const url = `http://rebound.example:${port}/`;
  await page.route(url, (route) => route.fulfill({ contentType: "text/html", body: emptyPage }));
  await page.goto(url);
  await page.unroute(url);
  const asks: Readonly<Record<string, readonly [path: string, body?: string]>> = {
    "fetch the page": ["/"],
    "fetch data with the token": ["/api/runs"],
    "adopt with the token": [`/api/proposals/${run}/adopt`, adoption],
    "reject what a night proposes": [`/api/proposals/${proposal}/reject`, '{"reason":"no"}'],
  };
  const attempts: BrowserAttempt[] = [];
  for (const [name, [path, body]] of Object.entries(asks)) {
    const got = await page.evaluate(
      async ({ path, body, token }) => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const response = await fetch(
          path,
          body === undefined ? { headers } : { method: "POST", headers, body },
        );
        return response.status === 421 ? null : `${response.status} ${await response.text()}`;
      },
      { path, body, token },
    );
    attempts.push({ from: "our port under a rebound name", name, got });
  }
  await page.close();
  return attempts;
}

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
