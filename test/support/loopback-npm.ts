import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";

export interface LoopbackServer {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  close(): void;
}

/** A registry of npm on loopback, which has these answers by path and counts every question. */
export async function startRegistry(
  answersAt: (url: string) => Readonly<Record<string, string | Buffer>>,
): Promise<LoopbackServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answersAt(url)[request.url ?? ""];
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer ?? "{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface LoopbackNpm {
  /** For PATH. */
  readonly bin: string;
  readonly registry: LoopbackServer;
}

/**
 * This machine's npm, whose usual registry is on loopback and has one package: `whetstone`, whose program is `code`. Any
 * .npmrc that npm reads outranks that, as it outranks npm's usual registry elsewhere.
 */
export async function loopbackNpm(folder: string, version: string, code: string): Promise<LoopbackNpm> {
  const packed = join(folder, "packed");
  mkdirSync(join(packed, "package/dist"), { recursive: true });
  const manifest = { name: "whetstone", version, type: "module", bin: { whetstone: "dist/cli.js" } };
  writeFileSync(join(packed, "package/package.json"), JSON.stringify(manifest));
  writeFileSync(join(packed, "package/dist/cli.js"), code);
  execFileSync("tar", ["-czf", "whetstone.tgz", "package"], { cwd: packed });
  const tarball = readFileSync(join(packed, "whetstone.tgz"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const registry = await startRegistry((url) => ({
    "/whetstone": JSON.stringify({
      name: "whetstone",
      "dist-tags": { latest: "99.0.0" },
      versions: { [version]: { ...manifest, dist: { tarball: `${url}/whetstone.tgz`, integrity } } },
    }),
    "/whetstone.tgz": tarball,
  }));
  cpSync(npmFolder(), join(folder, "npm"), { recursive: true });
  writeFileSync(join(folder, "npm/npmrc"), `registry=${registry.url}\n`);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync("../npm/bin/npm-cli.js", join(bin, "npm"));
  symlinkSync(process.execPath, join(bin, "node"));
  return { bin, registry };
}

function npmFolder(): string {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    try {
      return join(realpathSync(join(folder, "npm")), "../..");
    } catch {
      // not here
    }
  }
  throw new Error("npm is not on PATH.");
}
