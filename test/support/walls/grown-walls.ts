import { execFileSync } from "node:child_process";

type Wall = number | string | readonly unknown[] | { readonly [name: string]: Wall };
export type Walls = Readonly<Record<string, Wall>>;

/** The walls that allow more than they did: longer lists, higher counts. A wall that is new, or gone, has not grown. */
export function grownWalls(before: Walls, after: Walls): readonly string[] {
  return Object.entries(after).flatMap(([name, now]) => {
    const then = before[name];
    if (then === undefined) return [];
    if (name === "mostLines") return grownLines(before, after);
    const counts = new Map(countsOf(name, then));
    return countsOf(name, now).flatMap(([what, count]) => {
      const allowed = counts.get(what);
      return allowed !== undefined && count > allowed ? [`${what}: ${allowed} → ${count}`] : [];
    });
  });
}

/** Lines may be added by a commit that says for what, and never above the budget. */
function grownLines(before: Walls, after: Walls): readonly string[] {
  const [then, now] = [Number(before["mostLines"]), Number(after["mostLines"])];
  const isNamed = after["mostLinesBecause"] !== before["mostLinesBecause"];
  if (now <= then || (isNamed && now <= 100_000)) return [];
  return [`mostLines: ${then} → ${now}, and mostLinesBecause doesn't say for what`];
}

/** A record of numbers has a count each; anything else has one, of what it lists. Names may change: files move. */
function countsOf(name: string, wall: Wall): readonly (readonly [what: string, count: number])[] {
  if (typeof wall === "number") return [[name, wall]];
  if (typeof wall === "string") return [];
  if (Array.isArray(wall)) return [[name, wall.length]];
  const entries = Object.entries(wall);
  if (entries.every(([, value]) => typeof value === "number"))
    return entries.map(([key, value]) => [`${name}, ${key}`, Number(value)]);
  const lists = entries.map(([, value]) => (Array.isArray(value) ? value.length : 1));
  return [[name, lists.reduce((sum, count) => sum + count, 0)]];
}

/**
 * The commit that the walls are compared with: the merge base with main; on main itself, or where nobody knows main (a
 * shallow clone), the commit before. Undefined without git or history, as in a tarball.
 */
export function findBase(cwd: string, branch = "main"): string | undefined {
  const head = git(cwd, "rev-parse", "HEAD");
  const base = [`origin/${branch}`, branch]
    .flatMap((name) => git(cwd, "merge-base", "HEAD", name) ?? [])
    .find((commit) => commit !== head);
  return base ?? git(cwd, "rev-parse", "--verify", "--quiet", "HEAD^");
}

export function wallsAt(cwd: string, commit: string): Walls | undefined {
  const text = git(cwd, "show", `${commit}:test/walls.json`);
  return text === undefined ? undefined : (JSON.parse(text) as Walls);
}

function git(cwd: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
