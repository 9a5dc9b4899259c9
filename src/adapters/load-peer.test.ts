import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadPeer, requirePeers } from "./load-peer.ts";

const home = process.cwd();
const folders: string[] = [];

afterEach(async () => {
  process.chdir(home);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function projectWith(name: string, source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "peer-"));
  folders.push(folder);
  const root = join(folder, "node_modules", name);
  await mkdir(root, { recursive: true });
  const exports = { ".": { import: "./index.js", default: "./index.js" } };
  await writeFile(join(root, "package.json"), JSON.stringify({ name, type: "module", exports }));
  await writeFile(join(root, "index.js"), source);
  return folder;
}

test("an installed package is imported", async () => {
  const loaded = await loadPeer<{ createOpenAI: unknown }>("@ai-sdk/openai");
  expect(loaded.createOpenAI).toBeTypeOf("function");
});

test("a missing package says what to install", async () => {
  await expect(loadPeer("@ai-sdk/not-a-package")).rejects.toMatchObject({
    code: "peer-missing",
    hint: "npm i @ai-sdk/not-a-package",
    exitCode: 2,
  });
});

test("a part of a package is loaded; where it is missing, the package is to be installed", async () => {
  const loaded = await loadPeer<{ McpServer: unknown }>("@modelcontextprotocol/sdk/server/mcp.js");
  expect(loaded.McpServer).toBeTypeOf("function");
  await expect(loadPeer("@none/there/server/mcp.js")).rejects.toMatchObject({
    code: "peer-missing",
    message: "The package @none/there is needed and not installed.",
    hint: "npm i @none/there",
  });
});

test("all packages that are missing are named together", () => {
  expect(() => requirePeers(["ai", "bullmq", "@ai-sdk/openai"])).not.toThrow();
  const refused = expect.objectContaining({
    code: "peer-missing",
    message: "The packages not-there, @none/there are needed and not installed.",
    hint: "npm i not-there @none/there",
  });
  expect(() => requirePeers(["not-there", "ai", "@none/there", "not-there"])).toThrow(refused);
});

test("a package of the project in the working directory is found", async () => {
  process.chdir(await projectWith("only-in-the-project", "export const here = 42;"));
  expect(await loadPeer("only-in-the-project")).toMatchObject({ here: 42 });
});

test("a package that is there but broken is not called missing", async () => {
  process.chdir(await projectWith("broken-peer", `import "its-own-dependency";`));
  await expect(loadPeer("broken-peer")).rejects.toThrow("its-own-dependency");
});
