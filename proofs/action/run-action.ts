import { spawn } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";

const file = join(import.meta.dirname, "../../action.yml");

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly if?: string;
  readonly "working-directory"?: string;
}

export interface ActionPlace {
  /** The checkout. */
  readonly cwd: string;
  /** Where caches are kept, over workflows. */
  readonly caches: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** `github.…` in expressions. */
  readonly github: Readonly<Record<string, string>>;
  /** The refs whose caches this one may restore, its own first: GitHub keeps those of others from it. */
  readonly scopes: readonly string[];
  /** `runner.temp`: outside of the checkout. */
  readonly temp: string;
  /** What every step has. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ActionEnd {
  readonly code: number;
  readonly printed: string;
  /** Files that GitHub would attest. */
  readonly attested: readonly string[];
}

/** The steps of action.yml as they stand there, one after another. Foreign actions are played: caches by folders. */
export async function runAction(place: ActionPlace): Promise<ActionEnd> {
  const { inputs: given, runs } = parse(readFileSync(file, "utf8")) as Action;
  const inputs = Object.fromEntries(
    Object.entries(given).map(([name, { default: usual = "" }]) => [name, place.inputs[name] ?? usual]),
  );
  const steps: Record<string, string> = {};
  const fill = (text: string): string =>
    fillIn(text, { inputs, github: place.github, steps, runner: { temp: place.temp } });
  mkdirSync(place.temp, { recursive: true });
  let [code, printed] = [0, ""];
  const attested: string[] = [];
  for (const step of runs.steps) {
    if (!isDue(step.if ?? "", code === 0, { github: place.github, inputs, steps })) continue;
    if (step.uses?.startsWith("actions/attest-build-provenance@") === true) {
      const found = globSync(fill(step.with?.["subject-path"] ?? ""));
      // as the real one does
      if (found.length === 0) throw new Error("There is nothing to attest.");
      attested.push(...found);
    } else if (step.run === undefined) useCache(step, place, fill);
    else {
      const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)] as const);
      const cwd = resolve(place.cwd, fill(step["working-directory"] ?? "."));
      const output = join(place.cwd, ".git/output");
      writeFileSync(output, "");
      const own = { ...Object.fromEntries(env), GITHUB_OUTPUT: output };
      const end = await runBash(step.run, cwd, { ...place.env, ...own });
      for (const [, name = "", value = ""] of readFileSync(output, "utf8").matchAll(/^(\w+)=(.*)$/gm))
        steps[`${step.id}.outputs.${name}`] = value;
      printed += end.printed;
      code = end.code;
    }
  }
  return { code, printed, attested };
}

/** `always() && github.event.pull_request.head.repo.fork != true` */
function isDue(
  condition: string,
  isGood: boolean,
  known: Readonly<Record<string, Readonly<Record<string, string>>>>,
): boolean {
  const parts = condition.split("&&").map((part) => part.trim());
  if (!isGood && !parts.includes("always()")) return false;
  return parts.every((part) => {
    if (part === "" || part === "always()") return true;
    const [, top = "", name = "", sign, value] = /^(\w+)\.(\S+) ([!=]=) '?(\w+)'?$/.exec(part) ?? [];
    if (value === undefined) throw new Error(`action.yml says ${part}, which this proof cannot read.`);
    return (known[top]?.[name] === value) === (sign === "==");
  });
}

/** `${{ inputs.base || github.base_ref }}` */
function fillIn(text: string, known: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const once = text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const values = expression.split("||").map((part) => {
      const [, top = "", name = ""] = /^(\w+)\.(.+)$/.exec(part.trim()) ?? [];
      if (!(top in known)) throw new Error(`action.yml says ${expression}, which this proof cannot read.`);
      return known[top]?.[name] ?? "";
    });
    return values.find((value) => value !== "") ?? "";
  });
  // defaults of inputs are expressions too
  return once.includes("${{") ? fillIn(once, known) : once;
}

function useCache(
  { uses = "", with: given = {} }: Step,
  { caches, scopes }: ActionPlace,
  fill: (text: string) => string,
) {
  if (uses.startsWith("actions/setup-node@")) return;
  const [path, key] = [fill(given["path"] ?? ""), fill(given["key"] ?? "")];
  const [own = ""] = scopes;
  if (uses.startsWith("actions/cache/save@")) {
    if (existsSync(path)) cpSync(path, join(scopeFolder(caches, own), key), { recursive: true });
  } else if (uses.startsWith("actions/cache/restore@")) {
    const prefix = fill(given["restore-keys"] ?? "").trim();
    for (const scope of scopes) {
      const folder = scopeFolder(caches, scope);
      const latest = readdirSync(folder)
        .filter((name) => name.startsWith(prefix))
        .toSorted()
        .at(-1);
      if (latest === undefined) continue;
      cpSync(join(folder, latest), path, { recursive: true });
      return;
    }
  } else throw new Error(`action.yml uses ${uses}, which this proof does not play.`);
}

/** The caches of one ref. */
export function scopeFolder(caches: string, ref: string): string {
  const folder = join(caches, encodeURIComponent(ref));
  mkdirSync(folder, { recursive: true });
  return folder;
}

function runBash(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Omit<ActionEnd, "attested">> {
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, printed }));
  });
}
