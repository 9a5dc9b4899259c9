import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

test("README can be read in a few minutes", () => {
  expect(readme.split(/\s+/).length).toBeLessThan(900);
});

test("README's pictures are there in light and dark, and load quickly", () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(pictures.toSorted()).toEqual([
    "docs/pictures/demo-dark.svg",
    "docs/pictures/demo-light.svg",
    "docs/pictures/report-dark.png",
    "docs/pictures/report-light.png",
  ]);
  for (const path of pictures) expect(statSync(join(root, path)).size, path).toBeLessThan(200_000);
});

test("README has the parts that `npm run pictures` writes", () => {
  const parts = [...readme.matchAll(/<!-- made: (\w+) -->\n\S[^]*?<!-- \/made -->/g)].map(([, name]) => name);
  expect(parts).toEqual(["prices", "verdict", "rules", "source"]);
});
