import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { releaseNotes, withAbsoluteLinks } from "../release/addresses.ts";
import { tempDir } from "./support/temp-dir.ts";

const root = join(import.meta.dirname, "..");
const address = { repository: "https://example.test/some/where", tag: "v1.2.3" };

test("links and pictures of a page work elsewhere; what was absolute stays", () => {
  const page = `[docs](docs/a.md#b), [dot](./LICENSE), ![chart](docs/x.svg), [![chart](docs/y.svg)](docs/y.md)
[here](#part), [there](https://other.test/a), [mail](mailto:a@b.test)
<picture><source srcset="docs/dark.svg"><img src="docs/light.svg"></picture><a href="docs/z.md">z</a>`;
  const [blob, raw] = ["blob", "raw"].map((kind) => `${address.repository}/${kind}/v1.2.3`);
  expect(withAbsoluteLinks(page, address)).toBe(
    `[docs](${blob}/docs/a.md#b), [dot](${blob}/LICENSE), ![chart](${raw}/docs/x.svg), [![chart](${raw}/docs/y.svg)](${blob}/docs/y.md)
[here](#part), [there](https://other.test/a), [mail](mailto:a@b.test)
<picture><source srcset="${raw}/docs/dark.svg"><img src="${raw}/docs/light.svg"></picture><a href="${blob}/docs/z.md">z</a>`,
  );
});

test("notes are those of the version, and only once it is called released", () => {
  const changelog =
    "# Changelog\n\n## 1.2.0 (unreleased)\n\n- new\n\n## 1.1.0\n\n- old\n- older\n\n## 1.0.0\n\n- first\n";
  expect(releaseNotes(changelog, "1.2.0")).toBeUndefined();
  expect(releaseNotes(changelog, "1.1.0")).toBe("- old\n- older");
  expect(releaseNotes(changelog, "1.0.0")).toBe("- first");
  expect(releaseNotes(changelog, "1.0")).toBeUndefined();
});

test("a release fills in what only its workflow knows, and refuses a tag of another version", async () => {
  const folder = await tempDir({});
  for (const file of [
    "package.json",
    "README.md",
    "CHANGELOG.md",
    "plugins/whetstone",
    "release/address.json",
  ])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  writeFileSync(join(folder, "CHANGELOG.md"), `# Changelog\n\n## ${version}\n\n- See [docs](docs/ci.md).\n`);
  const prepare = (tag: string) =>
    spawnSync(process.execPath, [join(root, "release/prepare.ts"), folder], {
      encoding: "utf8",
      env: {
        GITHUB_SERVER_URL: "https://example.test",
        GITHUB_REPOSITORY: "some/where",
        GITHUB_REF_NAME: tag,
      },
    });
  const nameRepository = (repository: string) =>
    writeFileSync(join(folder, "release/address.json"), JSON.stringify({ repository }));
  nameRepository("");
  expect(prepare(`v${version}`).stderr).toContain("release/address.json has no repository.");
  nameRepository("https://example.test/else/where");
  expect(prepare(`v${version}`).stderr).toContain(
    "release/address.json names https://example.test/else/where, and this workflow runs in https://example.test/some/where.",
  );
  nameRepository("https://example.test/some/where");
  expect(prepare("v99.0.0").stderr).toContain(`The tag is v99.0.0, and package.json has version ${version}.`);
  expect(prepare(`v${version}`).status).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
    version,
    repository: { type: "git", url: "git+https://example.test/some/where.git" },
    homepage: "https://example.test/some/where#readme",
    bugs: { url: "https://example.test/some/where/issues" },
  });
  const links = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/\]\(([^)]+)\)/g)].map(
    ([, to = ""]) => to,
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((to) => !/^(?:https:|#)/.test(to))).toEqual([]);
  expect(readFileSync(join(folder, "release-notes.md"), "utf8")).toBe(
    `- See [docs](https://example.test/some/where/blob/v${version}/docs/ci.md).\n`,
  );
  const manifests = ["claude", "codex"].map((kind) =>
    readFileSync(join(folder, `plugins/whetstone/.${kind}-plugin/plugin.json`), "utf8"),
  );
  for (const text of manifests)
    expect(text).toContain(`https://example.test/some/where/blob/v${version}/plugins/whetstone/PRIVACY.md`);
});

test("publishing is refused, and packing warns, while the repository has no address", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const { repository } = JSON.parse(readFileSync(join(root, "release/address.json"), "utf8")) as {
    repository: string;
  };
  const type = (name: string) =>
    spawnSync("npm", ["run", "-s", name], { cwd: root, encoding: "utf8", env: { ...process.env } });
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["prepublishOnly", "prepack"]));
  expect(type("prepublishOnly").status).toBe(repository === "" ? 1 : 0);
  const { status, stderr, stdout } = type("prepack");
  expect([status, stdout]).toEqual([0, ""]);
  expect(stderr.includes("can't be published")).toBe(repository === "");
});
