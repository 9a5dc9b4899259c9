// `node plugins/draw-icon.ts`: icon.svg as the PNG that plugin directories ask for. Needs chromium (`. .ci/system`).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const folder = join(import.meta.dirname, "whetstone");
const size = 512;
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: size, height: size } });
await page.setContent(
  `<body style="margin:0;background:none">${readFileSync(join(folder, "icon.svg"), "utf8")}</body>`,
);
await page.screenshot({ path: join(folder, "icon.png"), omitBackground: true });
await browser.close();
