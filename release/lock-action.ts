// node release/lock-action.ts <tarball> [folder]: in the release workflow, once the package is packed. Writes action/package.json
// and action/package-lock.json, by which the action installs exactly this tarball and the packages that CI ran with.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: object;
  readonly bin?: object;
}
interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly link?: boolean }>
  >;
}

const [tarball = "", root = join(import.meta.dirname, "..")] = process.argv.slice(2);
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));
const {
  name,
  version,
  dependencies,
  peerDependencies = {},
  peerDependenciesMeta,
  bin,
} = read("package.json") as Manifest;
const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
const { packages, ...rest } = read("package-lock.json") as Lock;

/** What a config may name beside chat models with a usual API. The action installs these too, as it has no other way to them. */
const isForModels = (peer: string): boolean => /^(?:@ai-sdk\/|ai$|jiti$|pg$)/.test(peer);
const wanted = Object.keys(peerDependencies)
  .filter(isForModels)
  .flatMap((peer) => {
    const known = packages[`node_modules/${peer}`]?.version;
    return known === undefined ? [] : [[peer, known] as const];
  });
const manifest = { private: true, dependencies: { [name]: version, ...Object.fromEntries(wanted) } };
const own = {
  version,
  resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
  integrity,
  dependencies,
  peerDependencies,
  peerDependenciesMeta,
  bin,
};
const folder = join(root, "action");
mkdirSync(folder, { recursive: true });
const write = (file: string, value: object): void =>
  writeFileSync(join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
write("package.json", manifest);
write("package-lock.json", {
  ...rest,
  packages: { ...packages, "": manifest, [`node_modules/${name}`]: own },
});
// npm takes out what is not needed
execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"], {
  cwd: folder,
  stdio: "inherit",
});
const locked = (read("action/package-lock.json") as Lock).packages;
if (locked[`node_modules/${name}`]?.integrity !== integrity)
  throw new Error("The lockfile has another tarball.");
const open = Object.entries(locked).filter(([path, one]) => path !== "" && one.integrity === undefined);
if (open.length > 0) throw new Error(`Without a hash: ${open.map(([path]) => path).join(", ")}.`);
