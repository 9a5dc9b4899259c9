import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const notices = readFileSync(join(root, "THIRD-PARTY-NOTICES.md"), "utf8");
const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const sections = notices.split(/^## /m).slice(1);
const namedIn = (section: string): string => section.split(" ", 1)[0] ?? "";

test("every library in the web app is named", () => {
  const files = globSync("ui/src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.includes(".test."));
  const imports = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(
      ([, name = ""]) => name,
    ),
  );
  expect(imports.length).toBeGreaterThan(10);
  const missing = new Set(imports.filter((name) => !sections.map(namedIn).includes(name)));
  expect([...missing]).toEqual([]);
});

test.each(sections.map((section) => [namedIn(section), section]))(
  "the texts of %s are here",
  (name, section) => {
    const folder = join(root, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    expect(section.split("\n", 1)[0]).toBe(`${name} ${version}`);
    const texts = globSync(["LICENSE*", "LICENCE*", "NOTICE*", "licenses/*"], { cwd: folder });
    expect(texts.length).toBeGreaterThan(0);
    for (const file of texts)
      expect([file, plain(section).includes(plain(readFileSync(join(folder, file), "utf8")))]).toEqual([
        file,
        true,
      ]);
    // a license that points to a file of its own: that text is here too, under its name
    for (const [, pointer = ""] of section.matchAll(/`\/(licenses?\/[^`]+)`/gi)) {
      expect([pointer, existsSync(join(folder, pointer))]).toEqual([pointer, true]);
      expect(section).toContain(`\n\`/${pointer}\`:\n`);
    }
  },
);
