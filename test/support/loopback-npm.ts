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
  /** Puts another program into the package, under the same version; its path is that of the tarball. */
  publish(code: string): string;
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
  const path = join(packed, "whetstone.tgz");
  const publish = (program: string): string => {
    writeFileSync(join(packed, "package/dist/cli.js"), program);
    execFileSync("tar", ["-czf", path, "package"], { cwd: packed });
    return path;
  };
  publish(code);
  const registry = await startRegistry((url) => ({
    "/whetstone": JSON.stringify({
      name: "whetstone",
      "dist-tags": { latest: "99.0.0" },
      versions: {
        [version]: {
          ...manifest,
          dist: { tarball: `${url}${tarballPath(version)}`, integrity: hashOf(path) },
        },
      },
    }),
    [tarballPath(version)]: readFileSync(path),
  }));
  cpSync(npmFolder(), join(folder, "npm"), { recursive: true });
  writeFileSync(join(folder, "npm/npmrc"), `registry=${registry.url}\n`);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync("../npm/bin/npm-cli.js", join(bin, "npm"));
  symlinkSync(process.execPath, join(bin, "node"));
  return { bin, registry, publish };
}

/** Where registries have it. */
export const tarballPath = (version: string): string => `/whetstone/-/whetstone-${version}.tgz`;

const hashOf = (path: string): string =>
  `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;

/** The action's lockfile, as the release workflow makes it of that package; gives the folder that has it in `action`. */
export function lockRelease({ bin }: LoopbackNpm, folder: string): string {
  const release = join(folder, "release");
  mkdirSync(release);
  cpSync(join(folder, "packed/package/package.json"), join(release, "package.json"));
  writeFileSync(join(release, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages: {} }));
  const script = join(import.meta.dirname, "../../release/lock-action.ts");
  execFileSync(process.execPath, [script, join(folder, "packed/whetstone.tgz"), release], {
    env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: join(folder, "home") },
    stdio: "pipe",
  });
  return release;
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
