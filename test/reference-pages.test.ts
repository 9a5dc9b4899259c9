import { expect, test } from "vitest";
import { checksPage } from "../docs/.vitepress/pages/checks-page.ts";
import { cliPage } from "../docs/.vitepress/pages/cli-page.ts";
import { errorsPage } from "../docs/.vitepress/pages/errors-page.ts";
import { promptsPage } from "../docs/.vitepress/pages/prompts-page.ts";
import { verdictsPage } from "../docs/.vitepress/pages/verdicts-page.ts";
import { falseClaimsPlot, powerPlot } from "../docs/.vitepress/pages/plots.ts";

// `npm run generate` writes all of them anew

test.each([
  ["errors.md", errorsPage],
  ["cli.md", cliPage],
  ["checks.md", checksPage],
  ["prompts.md", promptsPage],
  ["verdicts.md", verdictsPage],
  ["pictures/false-claims.svg", falseClaimsPlot],
  ["pictures/power.svg", powerPlot],
])("docs/%s says what the code says", async (name, page) => {
  await expect(await page()).toMatchFileSnapshot(`../docs/${name}`);
});
