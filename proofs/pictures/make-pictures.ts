// npm run pictures: makes docs/pictures of a real `whetstone demo`, and the parts of README that are its output or a plan's.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "../../test/support/project-state.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { openBrowser } from "../ui/browse.ts";
import { builtPage } from "../ui/built-page.ts";
import { pictures, readDemo } from "./demo-texts.ts";
import { drawTerminal } from "./draw-terminal.ts";
import { writeParts } from "./readme-parts.ts";
import { size, watchDemo } from "./watch-demo.ts";

const schemes = ["light", "dark"] as const;

using folder = temporaryDirectory("pictures");
await builtPage(console.log);
const frames = await watchDemo(folder.path);
const title = "whetstone demo in a terminal: fifteen steps, then the verdict and what each rule is worth";
for (const scheme of schemes)
  writeFileSync(join(pictures, `demo-${scheme}.svg`), drawTerminal(frames, size, scheme, title));

const texts = await readDemo(folder.path, projectState(folder.path, folder.path));
for (const name of ["demo", "report"] as const) writeFileSync(join(pictures, `${name}.txt`), texts[name]);
await photographReport(join(folder.path, "report.html"));

await writeParts(texts.demo);
console.log("docs/pictures and README.md are of today");

/** The head of the report, down to what each rule is worth. */
async function photographReport(file: string): Promise<void> {
  await using browser = await openBrowser();
  for (const colorScheme of schemes) {
    const viewport = { width: 1100, height: 1400 };
    const page = await browser.newPage({ colorScheme, viewport, offline: true });
    await page.goto(`file://${file}`);
    const heading = page.getByRole("heading", { name: "Sealed test" });
    await heading.waitFor();
    const { y } = (await heading.boundingBox()) ?? { y: viewport.height };
    const width = await page.evaluate<number>("document.body.offsetWidth");
    const clip = { x: 0, y: 0, width, height: Math.floor(y) - 22 };
    await page.screenshot({ path: join(pictures, `report-${colorScheme}.png`), clip });
  }
}
