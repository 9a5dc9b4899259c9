// node release/prepare.ts: in the release workflow, before the package is built. Checks that the tag, package.json and
// CHANGELOG.md speak of the same version, fills in the addresses that only the workflow knows, and writes release-notes.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAddress } from "./read-address.ts";
import {
  releaseNotes,
  withAbsoluteLinks,
  withAddresses,
  withCodexAddresses,
  withPluginAddresses,
} from "./addresses.ts";

const root = process.argv[2] ?? join(import.meta.dirname, "..");
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_REF_NAME: tag } = process.env;
if (server === undefined || name === undefined || tag === undefined)
  throw new Error(
    "GITHUB_SERVER_URL, GITHUB_REPOSITORY and GITHUB_REF_NAME must be set: this runs in a workflow.",
  );
const address = { repository: `${server}/${name}`, tag };
const own = readAddress(root);
if (own === "")
  throw new Error(
    "release/address.json has no repository. Write its address there before the first release.",
  );
if (own !== address.repository)
  throw new Error(`release/address.json names ${own}, and this workflow runs in ${address.repository}.`);
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const write = (file: string, text: string): void => writeFileSync(join(root, file), text);

const manifest = JSON.parse(read("package.json")) as { readonly version: string };
if (tag !== `v${manifest.version}`)
  throw new Error(`The tag is ${tag}, and package.json has version ${manifest.version}.`);
const notes = releaseNotes(read("CHANGELOG.md"), manifest.version);
if (notes === undefined)
  throw new Error(`CHANGELOG.md has no section "## ${manifest.version}" that is not called unreleased.`);

const writeJson = (file: string, value: object): void => write(file, `${JSON.stringify(value, null, 2)}\n`);
writeJson("package.json", withAddresses(manifest, address));
const claude = "plugins/whetstone/.claude-plugin/plugin.json";
writeJson(claude, withPluginAddresses(JSON.parse(read(claude)) as object, address));
const codex = "plugins/whetstone/.codex-plugin/plugin.json";
writeJson(codex, withCodexAddresses(JSON.parse(read(codex)) as { interface: object }, address));
for (const page of ["README.md", "CHANGELOG.md"]) write(page, withAbsoluteLinks(read(page), address));
write("release-notes.md", `${withAbsoluteLinks(notes, address)}\n`);
