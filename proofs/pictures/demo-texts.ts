import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../ui/browse.ts";
import { runCli } from "../support/run-cli.ts";

export const pictures = join(import.meta.dirname, "../../docs/pictures");

/** What the pictures of a demo's run show, as text: a picture is stale when its text is. */
export interface DemoTexts {
  /** What the terminal says in the end. */
  readonly demo: string;
  /** What the first panels of the report say. */
  readonly report: string;
}

/** The run in this folder's journal, read by the program of today. The web app must be built. */
export async function readDemo(folder: string, journal: string): Promise<DemoTexts> {
  const file = join(folder, "report.html");
  const place = { cwd: folder, env: { PATH: process.env["PATH"] ?? "", HOME: folder } };
  const { printed } = await runCli(["runs", "show", "--journal", journal], place);
  await runCli(["report", "--format", "html", "--out", file, "--journal", journal], place);
  await using browser = await openBrowser();
  const page = await browser.newPage({ offline: true });
  await page.goto(`file://${file}`);
  await page.locator("#rules, main section").nth(1).waitFor();
  return {
    demo: timeless(printed.split(/\n(?=run\n)/)[0] ?? ""),
    report: timeless((await page.locator("main").innerText()).split(/\n(?=Sealed test\n)/)[0] ?? ""),
  };
}

/** Lines without a time, an address or a folder; and without the button that a skill with a file has, or the commands in its place. */
const timeless = (text: string): string =>
  `${text
    .replace(/^(?:Review the change|Next: whetstone diff .*)\n\n/m, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !/127\.0\.0\.1:|begun|, started |^\s*time\b/.test(line))
    .join("\n")
    .trim()}\n`;

/** Names of pictures that show something else than this. */
export const stalePictures = (now: DemoTexts): readonly string[] =>
  (["demo", "report"] as const).filter(
    (name) => readFileSync(join(pictures, `${name}.txt`), "utf8") !== now[name],
  );
