import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { allowProjectPeers, installStep, loadPeer, requirePeers } from "./load-peer.ts";

const home = process.cwd();
const folders: string[] = [];

afterEach(async () => {
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
    message: "The package @none/there is needed but not installed.",
    hint: "npm i @none/there",
  });
});

test("all packages that are missing are named together", () => {
  expect(() => requirePeers(["ai", "bullmq", "@ai-sdk/openai"])).not.toThrow();
  const refused = expect.objectContaining({
    code: "peer-missing",
    message: "The packages not-there, @none/there are needed but not installed.",
    hint: "npm i not-there @none/there",
  });
  expect(() => requirePeers(["not-there", "ai", "@none/there", "not-there"])).toThrow(refused);
});

/** A refusal in a folder that alone has the package, from a process of its own, which nobody has allowed anything. */
async function refusalIn(folder: string, name: string): Promise<string> {
  const program = `
    const { loadPeer, requirePeers } = await import(${JSON.stringify(new URL("load-peer.ts", import.meta.url).href)});
    for (const load of [() => loadPeer("${name}"), async () => requirePeers(["${name}"])])
      await load().catch(({ code, message, hint }) => console.log([code, message, hint].join(" ")));`;
  const run = promisify(execFile);
  return (await run(process.execPath, ["--input-type=module", "-e", program], { cwd: folder })).stdout;
}

test("a package of the working directory is not loaded, and the step names the place next to whetstone", async () => {
  const folder = await projectWith("only-in-the-project", 'console.log("it ran");');
  const said = (await refusalIn(folder, "only-in-the-project")).trim().split("\n");
  const refusal = expect.stringMatching(
    /^peer-missing The package only-in-the-project is installed in this project, .* Install next to whetstone: npm i only-in-the-project$/,
  );
  expect(said).toEqual([refusal, refusal]);
});

test("a package.json of the working directory isn't read: nobody knows its size", async () => {
  const folder = await projectWith("only-in-the-project", "");
  await writeFile(join(folder, "node_modules/only-in-the-project/package.json"), "{");
  await writeFile(join(folder, "package.json"), "{");
  expect(await refusalIn(folder, "only-in-the-project")).toMatch(
    /^(?:peer-missing .*installed in this project.*\n){2}$/,
  );
});

test("a package that is there but broken is not called missing", async () => {
  const folder = await projectWith("broken-peer", `import "its-own-dependency";`);
  allowProjectPeers({ folder, guard: () => ({ release: () => {} }) });
  await expect(loadPeer("broken-peer")).rejects.toThrow("its-own-dependency");
});

test.each([
  ["in a checkout", "/x/whetstone/src/a.ts", "npm i pg ai"],
  ["for everybody on this machine", "/usr/lib/node_modules/whetstone/dist/a.js", "npm i -g pg ai"],
  ["in this project", join(home, "node_modules/whetstone/dist/a.js"), "npm i pg ai"],
  [
    "by npx",
    "/home/me/.npm/_npx/1f/node_modules/whetstone/dist/a.js",
    "npx -p whetstone -p pg -p ai whetstone",
  ],
])("where whetstone is installed %s, packages are installed next to it", (_, own, step) => {
  expect(installStep(["pg", "ai"], own)).toBe(step);
});

test("where whetstone is installed in another project, packages are installed there", async () => {
  const folder = await projectWith("whetstone", "");
  await writeFile(join(folder, "package.json"), "{}");
  const own = join(folder, "node_modules/whetstone/index.js");
  expect(installStep(["pg"], own)).toBe(`npm i --prefix "${folder}" pg`);
});
