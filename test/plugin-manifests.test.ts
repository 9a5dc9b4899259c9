import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const plugin = join(root, "plugins/whetstone");
const read = (path: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(root, path), "utf8")) as Readonly<Record<string, unknown>>;

const manifests = [
  ".claude-plugin/plugin.json",
  ".codex-plugin/plugin.json",
  ".cursor-plugin/plugin.json",
  "gemini-extension.json",
].map((path) => [path, read(`plugins/whetstone/${path}`)] as const);

test("the plugin has the version and the licence of the package, in every manifest", () => {
  const { version, license } = read("package.json");
  for (const [path, manifest] of manifests) {
    expect([path, manifest["name"], manifest["version"]]).toEqual([path, "whetstone", version]);
    expect([undefined, license]).toContain(manifest["license"]);
  }
});

test("every file that a manifest or a marketplace names is there, and in the package", () => {
  const named = (value: unknown): readonly string[] =>
    typeof value === "string"
      ? value.startsWith("./")
        ? [value]
        : []
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(named)
        : [];
  const inPlugin = manifests.flatMap(([, manifest]) => named(manifest));
  const inRoot = [".claude-plugin", ".agents/plugins"].flatMap((folder) =>
    named(read(`${folder}/marketplace.json`)),
  );
  expect(inPlugin).toContain("./hooks/claude.json");
  expect(inRoot).toEqual(["./plugins/whetstone", "./plugins/whetstone"]);
  for (const path of inPlugin) expect(existsSync(join(plugin, path.replace("*.md", ""))), path).toBe(true);
  for (const path of inRoot) expect(existsSync(join(root, path)), path).toBe(true);
  expect(read("package.json")["files"]).toEqual(
    expect.arrayContaining([".agents/plugins", ".claude-plugin", "plugins/whetstone"]),
  );
});

test("what directories ask for: an icon of 512 pixels, a licence, a page about privacy", () => {
  const icon = readFileSync(join(plugin, "icon.png"));
  expect(icon.subarray(1, 4).toString()).toBe("PNG");
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512]);
  expect(readFileSync(join(plugin, "LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
  expect(readFileSync(join(plugin, "PRIVACY.md"), "utf8")).toContain("no telemetry");
});
