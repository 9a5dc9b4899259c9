import { spawn } from "node:child_process";

export interface PrPlace {
  readonly cli: string;
  readonly home: string;
  readonly cwd: string;
  /** @default where it is without a flag */
  readonly journal?: string;
}

export interface PrEnd {
  readonly code: number | null;
  /** Of the skill's row; undefined where it has none. */
  readonly verdict: string | undefined;
  readonly why: string | undefined;
  /** Files that the result names as changed. */
  readonly changed: readonly string[];
  /** What became of the second row. */
  readonly own: string | undefined;
  readonly printed: string;
  /** The same result as people read it. */
  readonly shown: string;
}

interface Check {
  readonly summary?: { readonly verdict: string };
  readonly why?: string;
  readonly own?: {
    readonly changed: readonly { readonly file: string }[];
    readonly figures?: object;
    readonly why?: string;
  };
}

/** `whetstone pr` against the commit before, as data. */
export async function runPr(place: PrPlace): Promise<PrEnd> {
  const { code, out, err } = await run(place);
  const [last = ""] = out.trim().split("\n").slice(-1);
  const { checks = [] } = parse(last);
  const [check] = checks;
  const { own } = check ?? {};
  return {
    code,
    verdict: check?.summary?.verdict,
    why: check?.why,
    changed: own?.changed.map(({ file }) => file) ?? [],
    own: own && (own.figures === undefined ? (own.why ?? "nothing") : "figures, not a proof"),
    printed: `${out}\n${err}`,
    shown: err,
  };
}

function parse(line: string): { readonly checks?: readonly Check[] } {
  try {
    return JSON.parse(line) as { checks?: readonly Check[] };
  } catch {
    return {};
  }
}

async function run({ cli, home, cwd, journal }: PrPlace) {
  const args = ["pr", "--base", "HEAD~1", "--fail-on", "worse", "--json"];
  if (journal !== undefined) args.push("--journal", journal);
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      NO_COLOR: "1",
      OFFICE_API_KEY: "sk-of-the-project",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (texts.err += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, ...texts };
}
