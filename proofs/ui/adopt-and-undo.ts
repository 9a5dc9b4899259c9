import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Findings, type Served, desk, openVisit } from "./browse.ts";

/** Adopts all of a proposal, then a part of it, and compares what the page said with what stands in the file. */
export async function adoptAndUndo(
  browser: Browser,
  {
    url,
    origin,
    run,
    skillFile,
    output,
  }: Served & { readonly run: string; readonly skillFile: string; readonly output: string },
  findings: Findings,
): Promise<Record<string, boolean>> {
  const { context, page } = await openVisit(browser, desk, findings, { origin });
  const before = readFileSync(skillFile, "utf8");
  /** What stands in the file after "Adopt", which is taken back. */
  const written = async (
    picture: string,
    decide: () => Promise<unknown> = async () => {},
  ): Promise<string> => {
    await page.getByRole("button", { name: /^Adopt/ }).click();
    await decide();
    await page.screenshot({ path: join(output, picture) });
    await page.getByRole("button", { name: /^Write / }).click();
    await page.getByRole("button", { name: "Undo …" }).waitFor();
    const text = readFileSync(skillFile, "utf8");
    await page.getByRole("button", { name: "Undo …" }).click();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: /^Adopt/ }).waitFor();
    return text;
  };
  await page.goto(`${url}#/run/${run}/proposal`);
  const adopted = await written("adopt-asks.png");
  const undone = readFileSync(skillFile, "utf8");

  const rule = page.getByRole("article").last();
  const words = (await rule.locator("ins").innerText()).trim();
  await rule.getByRole("button", { name: "Drop" }).click();
  await page.getByText("was not tested by itself").first().waitFor();
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
